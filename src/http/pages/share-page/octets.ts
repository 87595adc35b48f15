/** Bytes with memory of their own kind: WebCrypto takes no views on shared memory. */
export type Octets = Uint8Array<ArrayBuffer>;

export function joined(...parts: readonly Uint8Array[]): Octets {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function utf8Of(text: string): Octets {
  return new TextEncoder().encode(text);
}

/** @returns undefined for anything but pairs of hexadecimal digits */
export function fromHexText(text: string): Octets | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = digit(text, 2 * at) * 16 + digit(text, 2 * at + 1);
  return bytes;
}

function digit(text: string, at: number): number {
  return '0123456789abcdef'.indexOf(text.charAt(at).toLowerCase());
}

/** @param text base64 or base64url, with or without padding. @returns undefined if it is neither */
export function fromBase64Text(text: string): Octets | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
