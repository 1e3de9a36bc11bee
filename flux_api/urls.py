from django.urls import re_path

from flux_api.views import ClusterResourceView, ClustersView

app_name = "flux"
urlpatterns = [
    re_path(r"^clusters/?$", ClustersView.as_view(), name="clusters"),
    re_path(
        r"^clusters/(?P<dns>[^/\x00]+)/(?P<resource>[^/\x00]+)/?$",
        ClusterResourceView.as_view(),
        name="cluster-resource",
    ),
]
