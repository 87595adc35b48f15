/*
 * The password of a link, in the header X-Share-Password. Headers carry no letters beyond ISO 8859-1, and spaces at their ends are lost, so it
 * is written as RFC 8187 writes a text. Nothing here needs Node or a library, so a page may use it.
 */

const encoded = /^UTF-8''(?<text>.*)$/i;

export function sharePasswordText(password: string): string {
  const bytes = new TextEncoder().encode(password.normalize('NFC'));
  return `UTF-8''${Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`;
}

/** @param text such a text, or the password in UTF-8, as other programs send it */
export function sharePasswordIn(text: string): string {
  const { text: percent } = encoded.exec(text)?.groups ?? {};
  try {
    if (percent !== undefined) return decodeURIComponent(percent);
    const bytes = Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return text;
  }
}
