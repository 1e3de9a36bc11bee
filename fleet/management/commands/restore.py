from argparse import ArgumentParser
from typing import Any

from fleet.management.changes import ChangeCommand
from fleet.services.undo import cluster_restore


class Command(ChangeCommand):
    help = "Bring a cluster back to what it was at a revision, also when it was purged since."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", metavar="CLUSTER")
        parser.add_argument("--revision", type=int, required=True, metavar="N")
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        cluster, number = options["cluster"], options["revision"]
        with self.changing(options, reason=f"{cluster} as at revision {number}") as opened:
            cluster_restore(cluster=cluster, number=number)
        self.tell(opened, options)
