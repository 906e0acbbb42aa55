"""`shoewatch archive run` on the shipped broker configuration, as a service, and with mistakes in what it is told."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from archive_floor import CATCH_UP_S, archive, archive_config
from archived import kept
from command import shoewatch
from daemon import COMMAND, Process
from floor_broker import opened as floor_opened
from manager import Manager
from mqtt_table import SITE, TABLE, add, opened, until
from test_archive_link import confirming
from test_chaos import wait_for

from controller.archive.database import parse_database
from controller.broker import EmbeddedBroker
from controller.floor_link import FloorLink
from controller.journal_file import read_all
from controller.mqtt import Dialer
from controller.mqtt_address import parse_address
from controller.outbox import Outbox
from controller.presence import Presence
from protocols.floor.topics import Topics
