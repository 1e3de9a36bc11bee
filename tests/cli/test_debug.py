from tests.cli.conftest import Cli


def test_the_exchange_is_shown_on_standard_error(cli: Cli) -> None:
    done = cli("environment", "get", "dev", "-o", "name", "--debug").ok()
    assert done.out == "dev\n"
    assert "/environments/dev" in done.err
    assert "< 200 OK" in done.err
    assert '< {"id": "dev"' in done.err


def test_secrets_are_not_shown(cli: Cli, variables: dict[str, str]) -> None:
    done = cli("--debug", "token", "create", "cli-debug", "--kind", "reader").ok()
    [secret] = done.lines
    assert "> authorization: ********" in done.err
    assert '"token": "********"' in done.err
    for hidden in (secret, variables["FLUX_API_TOKEN"], variables["FLUX_API_WRITE_TOKEN"]):
        assert hidden not in done.err
    cli("token", "delete", "cli-debug").ok()


def test_a_password_in_the_address_is_not_shown(cli: Cli, variables: dict[str, str]) -> None:
    url = variables["FLUX_API_URL"].replace("http://", "http://me:pass-word@")
    done = cli("environment", "list", "--debug", FLUX_API_URL=url)
    assert "pass-word" not in done.err
