from config.environment import ConfigurationError
from config.memory import temporary_folder
from fleet.web.metrics_folder import make_metrics_folder


def prepare_metrics() -> None:
    folder = temporary_folder()
    try:
        make_metrics_folder(folder)
    except OSError as error:
        raise ConfigurationError(
            f"The folder {folder} cannot be written to ({error.strerror}); "
            "TMPDIR must name one that can."
        ) from error
