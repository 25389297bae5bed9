# SPDX-License-Identifier: Apache-2.0
"""Named questions: the SQL files of the repository's ``queries`` folder."""
