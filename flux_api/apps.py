from django.apps import AppConfig


class FluxApiConfig(AppConfig):
    name = "flux_api"
    verbose_name = "Flux API"
