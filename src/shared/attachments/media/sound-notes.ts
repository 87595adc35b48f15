import { damagedMedia } from './byte-reader.ts';

/**
 * Overwrites the notes of Vorbis and Opus by spaces: the name of the program, and then texts, each after its length (Vorbis I, 5.2). So no
 * length changes.
 * @param magic what the packet begins with
 * @throws Problem invalid MEDIA_DAMAGED
 */
export function blankNotes(packet: Buffer, magic: string): void {
  if (packet.toString('latin1', 0, magic.length) !== magic) throw damagedMedia('its notes are missing');
  let at = magic.length;
  const number = (): number => {
    if (at + 4 > packet.length) throw damagedMedia('a note is cut off');
    at += 4;
    return packet.readUInt32LE(at - 4);
  };
  const text = (start: string): void => {
    const length = number();
    if (at + length > packet.length) throw damagedMedia('a note is cut off');
    packet.fill(' ', at, at + length);
    packet.write(start.slice(0, length), at, 'latin1');
    at += length;
  };
  text('');
  // A text without a name before `=` is none.
  for (let left = number(); left > 0; left -= 1) text('X=');
  // Vorbis ends with a bit that is set. What follows the notes of Opus is filling.
  const end = magic === 'OpusTags' ? at : at + 1;
  packet.fill(0, end);
}

/**
 * Leaves of FLAC's blocks only the first one, which says how to decode (RFC 9639, 8.1 and 8.2).
 * @param blocks from the head of the first block
 * @throws Problem invalid MEDIA_DAMAGED
 */
export function firstBlockAlone(blocks: Buffer): void {
  const [first = 255] = blocks;
  if (blocks.length < 38 || (first & 0x7f) !== 0) throw damagedMedia('it does not say how to decode it');
  blocks[0] = 0x80;
  blocks.fill(0, 38);
}

/** Of the head of a Vorbis stream in Matroska (RFC 9559): the number of further packets, their lengths in Xiph's lacing, and the packets. */
export function blankVorbisHead(head: Buffer): void {
  if (head[0] !== 2) throw damagedMedia('it does not say how to decode it');
  let at = 1;
  const lengths = [0, 0].map(() => {
    let length = 0;
    for (let more = 255; more === 255; length += more, at += 1) {
      if (at >= head.length) throw damagedMedia('it does not say how to decode it');
      more = head[at] ?? 0;
    }
    return length;
  });
  const [first = 0, notes = 0] = lengths;
  if (at + first + notes > head.length) throw damagedMedia('a note is cut off');
  blankNotes(head.subarray(at + first, at + first + notes), '\x03vorbis');
}
