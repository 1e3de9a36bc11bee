from typing import Any

from csp.middleware import CSPMiddleware, PolicyParts

from config.policies import ADMIN


class BrowserPolicyMiddleware(CSPMiddleware):
    """The policy of the settings everywhere; in the admin, the one that its theme needs."""

    def get_policy_parts(self, request: Any, response: Any, report_only: bool = False) -> Any:
        if request.path_info.startswith("/admin/") and not report_only:
            return PolicyParts(config=ADMIN)
        return super().get_policy_parts(request, response, report_only)
