import { escapeForTerminal } from '../kit/escape-for-terminal.ts';

/** Bytes. File systems take 255, and a file that is being received has a longer name. */
const LONGEST = 180;
/** Names that mean a device on Windows, whatever follows a dot. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00b9\u00b2\u00b3])\s*(?:\.|$)/i;

/**
 * A name for a new file in a folder, made of the name that a sender chose. It is never a path, never hidden, and has nothing that a terminal
 * or a file system would take for something else.
 *
 * @param otherwise the name where nothing is left
 */
export function safeFileName(given: string, otherwise: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  // What a terminal shows as an escape becomes an escape in the name, so that both are the same text.
  const plain = escapeForTerminal(last)
    .replaceAll(/[<>:"|?*\\]/g, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '');
  const name = shortened(plain);
  if (name === '') return otherwise;
  return device.test(name) ? `_${name}` : name;
}

/** Shortens the part before the extension, at a whole character. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  let kept = '';
  for (const character of name.slice(0, name.length - extension.length)) {
    if (Buffer.byteLength(kept + character + extension) > LONGEST) break;
    kept += character;
  }
  return kept + extension;
}

/** Different names in one folder. Names that differ in case alone, or in how accents are composed, are one file on some systems. */
export function differentNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const [, base = name, extension = ''] = /^(.+?)(\.[A-Za-z0-9]{1,10})?$/.exec(name) ?? [];
    let free = name;
    for (let number = 2; taken.has(keyOf(free)); number += 1) free = `${base}-${number}${extension}`;
    taken.add(keyOf(free));
    return free;
  });
}

function keyOf(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}
