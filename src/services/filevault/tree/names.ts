/** How two names are compared: in one composition of accents, and without regard to case. `ß` is `ss`, as in upper case. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** Bytes that ` (123456789)` may add to a name. */
const NUMBER_BYTES = 12;
const NAME_BYTES = 255;

/** The name with a number before its extension: `july.pdf` becomes `july (2).pdf`. It stays within the length of a name. */
export function numberedName(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : '';
  const characters = Array.from(
    new Intl.Segmenter().segment(name.slice(0, name.length - extension.length)),
    ({ segment }) => segment,
  );
  while (Buffer.byteLength(characters.join('') + extension) > NAME_BYTES - NUMBER_BYTES) characters.pop();
  return `${characters.join('')} (${number})${extension}`;
}
