"""The messages of Porch's function runner and of gRPC's health service, in the wire format of protocol buffers.

    evaluator.EvaluateFunctionRequest   {bytes resource_list = 1; string image = 2}
    evaluator.EvaluateFunctionResponse  {bytes resource_list = 1; bytes log = 2}
    grpc.health.v1.HealthCheckRequest   {string service = 1}
    grpc.health.v1.HealthCheckResponse  {ServingStatus status = 1}

Four messages with two fields at most need no generated code. What protocol buffers promise holds: unknown fields are skipped,
of a field that comes twice the last counts, an absent field is empty, an empty field is not written.
"""

from __future__ import annotations

SERVING = 1
NOT_SERVING = 2
SERVICE_UNKNOWN = 3

_VARINT, _FIXED64, _BYTES, _GROUP, _GROUP_END, _FIXED32 = range(6)
_HIGHEST_FIELD = (1 << 29) - 1
_DEEPEST_GROUP = 100
_NOTHING = memoryview(b"")


class MessageError(ValueError):
    """The bytes are no message of the kind that was expected; the text says what is wrong, and where."""


def encode_request(resource_list: bytes, image: str) -> bytes:
    """An EvaluateFunctionRequest."""
    return _field(1, resource_list) + _field(2, image.encode())


def decode_request(data: bytes) -> tuple[memoryview, str]:
    """(resource list, image) of an EvaluateFunctionRequest; the list is a view of the message, not a copy. Raises MessageError."""
    fields = _fields(data)
    return fields.get(1, _NOTHING), _text(fields, 2, "image")


def encode_response(resource_list: bytes, log: bytes) -> bytes:
    """An EvaluateFunctionResponse."""
    return _field(1, resource_list) + _field(2, log)


def decode_response(data: bytes) -> tuple[bytes, bytes]:
    """(resource list, log) of an EvaluateFunctionResponse. Raises MessageError."""
    fields = _fields(data)
    return bytes(fields.get(1, _NOTHING)), bytes(fields.get(2, _NOTHING))


def decode_health_request(data: bytes) -> str:
    """The service of a HealthCheckRequest; "" is the server as a whole. Raises MessageError."""
    return _text(_fields(data), 1, "service")


def encode_health_response(status: int) -> bytes:
    """A HealthCheckResponse; `status` is one of the constants above."""
    return bytes((1 << 3 | _VARINT, status))


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value if value else b""


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _text(fields: dict[int, memoryview], number: int, name: str) -> str:
    try:
        return bytes(fields.get(number, _NOTHING)).decode()
    except UnicodeDecodeError as error:
        raise MessageError(f"the field {name} ({number}) is not UTF-8: {error.reason}") from None


def _fields(data: bytes) -> dict[int, memoryview]:
    """The fields that hold bytes, by number; the last of each. Fields of other types belong to no message here."""
    found: dict[int, memoryview] = {}
    view = memoryview(data)
    groups: list[int] = []  # the groups around the place, outermost first: skipped with all that they hold
    offset = 0
    while offset < len(data):
        start = offset
        key, offset = _read_varint(data, offset)
        number, kind = key >> 3, key & 7
        if not 0 < number <= _HIGHEST_FIELD:
            raise MessageError(f"there is no field {number} (at byte {start})")
        if kind == _VARINT:
            _, offset = _read_varint(data, offset)
        elif kind == _FIXED64:
            offset += 8
        elif kind == _FIXED32:
            offset += 4
        elif kind == _BYTES:
            length, offset = _read_varint(data, offset)
            if not groups and offset + length <= len(data):
                found[number] = view[offset : offset + length]
            offset += length
        elif kind == _GROUP:
            if len(groups) == _DEEPEST_GROUP:
                raise MessageError(f"groups are nested more than {_DEEPEST_GROUP} deep (at byte {start})")
            groups.append(number)
        elif kind == _GROUP_END:
            if not groups or groups.pop() != number:
                raise MessageError(f"the group {number} ends where none began (at byte {start})")
        else:
            raise MessageError(f"field {number} has the unknown wire type {kind} (at byte {start})")
        if offset > len(data):
            missing = offset - len(data)
            raise MessageError(
                f"the message ends {missing} bytes before field {number} does (at byte {start})"
            )
    if groups:
        raise MessageError(f"the message ends inside the group {groups[-1]}")
    return found


def _read_varint(data: bytes, offset: int) -> tuple[int, int]:
    """(value, offset behind it) of the number at `offset`: at most 64 bits in ten bytes."""
    value = 0
    for position in range(10):
        if offset + position >= len(data):
            raise MessageError(f"the message ends inside a number (at byte {offset})")
        byte = data[offset + position]
        value |= (byte & 0x7F) << 7 * position
        if byte < 0x80:
            if value >> 64:
                break
            return value, offset + position + 1
    raise MessageError(f"a number has more than 64 bits (at byte {offset})")
