# SPDX-License-Identifier: Apache-2.0
"""Where workers agree, from the options and on one host."""

from pathlib import Path

import pytest

from tailrace.errors import BadInput
from tailrace.runs import workers
from tailrace.runs.agreement import VARIABLE, Agreement, from_options, on_this_host


def test_workers_of_one_host_get_a_url_and_a_token_of_their_own() -> None:
    one, other = on_this_host(), on_this_host()
    assert one.url.startswith("http://127.0.0.1:")
    assert one.arguments(0) == one.arguments(3) == ["--agreement-url", one.url]
    assert len(one.environment()[VARIABLE]) >= 32
    assert one.environment() != other.environment()


def test_the_token_is_no_argument() -> None:
    agreement = on_this_host()
    assert agreement.token is not None
    assert not any(agreement.token in word for word in agreement.arguments(0))


def test_options_are_passed_on() -> None:
    agreement = from_options("https://a:9300", "0.0.0.0:9300", Path("run.token"))
    assert agreement is not None
    url = ["--agreement-url", "https://a:9300"]
    token = ["--agreement-token-file", "run.token"]
    assert agreement.arguments(0) == [*url, "--agreement-listen", "0.0.0.0:9300", *token]
    assert agreement.arguments(1) == [*url, *token]
    assert agreement.environment() == {}
    assert from_options(None, None, None) is None


def test_options_that_do_not_fit_are_one_line() -> None:
    with pytest.raises(BadInput, match="--agreement-url too"):
        from_options(None, None, Path("run.token"))
    with pytest.raises(BadInput, match="only with --worker"):
        workers.from_options(2, None, None, None, Agreement("http://a:9300"))
