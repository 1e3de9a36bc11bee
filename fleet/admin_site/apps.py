from django.contrib.admin.apps import AdminConfig


class FleetAdminConfig(AdminConfig):
    default_site = "fleet.admin_site.site.FleetSite"
