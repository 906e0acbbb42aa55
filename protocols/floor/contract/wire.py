"""What all messages have in common, and the kinds of text that occur in several of them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, WithJsonSchema, model_serializer

TIME: Final = r"^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$"
CARD: Final = "^[A23456789TJQK][shdc]?$"

Time = Annotated[str, Field(pattern=TIME, description="An RFC 3339 time.", examples=["2026-11-30T07:03:48.143Z"])]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="A SHA-256, 64 hex digits.")]
KeyId = Annotated[
    str,
    Field(pattern="^[0-9a-f]{16}$", description="The first 16 hex digits of the SHA-256 of a key's 32 public bytes."),
]
Signature = Annotated[str, Field(pattern="^[0-9a-f]{128}$", description="An Ed25519 signature, 128 hex digits.")]
PublicKey = Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="An Ed25519 public key, 64 hex digits.")]
CardText = Annotated[
    str,
    Field(pattern=CARD, description="A card: a rank, then a suit where it is known.", examples=["Kh", "T"]),
]
Source = Annotated[
    str,
    Field(pattern="^/[a-z0-9-]+/[a-z0-9-]+$", description="Site and table.", examples=["/riverside/bj-07"]),
]
Epoch = Annotated[
    str,
    Field(
        min_length=1,
        description="The life of one journal; another one means a new journal, whose seq begins at 1 again.",
    ),
]
Seq = Annotated[int, Field(ge=1, description="A record's number in its epoch, from 1, without a gap.")]
LastSeq = Annotated[int, Field(ge=0, description="A record's number in its epoch; 0 where there is none yet.")]
AnyObject = Annotated[dict[str, Any], WithJsonSchema({"type": "object"})]
Alarms = Annotated[
    tuple[str, ...],
    Field(description="What is wrong with the daemon itself, one sentence each; empty where nothing is."),
]


class Wire(BaseModel):
    """A JSON object. A field whose default is None is left out while it is None; every other field is always there."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    @model_serializer(mode="wrap")
    def _without_what_is_not_said(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = write(self)
        left_out = {
            info.alias or name
            for name, info in type(self).model_fields.items()
            if info.default is None and getattr(self, name) is None
        }
        return {name: value for name, value in fields.items() if name not in left_out}

    def message(self) -> bytes:
        """The payload: compact JSON in the order of the fields."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """The message in a payload; pydantic's ValidationError, a ValueError, where it is none."""
        return cls.model_validate_json(payload, by_alias=True, by_name=False)
