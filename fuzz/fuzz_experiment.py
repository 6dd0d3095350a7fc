# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Any bytes as FILE.toml of an experiment: resolved and writable again, or a ConfigError."""

import sys

import atheris

with atheris.instrument_imports(include=["laxity", "tomllib"]):
    from laxity.errors import ConfigError
    from laxity.tasksets.experiment_spec import experiment_to_toml, read_experiment


def test_one_input(data: bytes) -> None:
    """Feed one input to the reader of experiments."""
    try:
        experiment = read_experiment(data)
    except ConfigError as error:
        assert str(error)
        return
    assert read_experiment(experiment_to_toml(experiment).encode()) == experiment


atheris.Setup(sys.argv, test_one_input)
atheris.Fuzz()
