/** Bytes. File systems take 255, and browsers add a number. */
const LONGEST = 180;
/** Names that mean a device on Windows, whatever follows a dot. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00b9\u00b2\u00b3])\s*(?:\.|$)/i;
/** Control characters, and characters that turn the direction of a text: with them `fdp.exe` reads as `exe.pdf`. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const deceiving = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A name that is never a path, never hidden, and means the same to a person and to a file system. */
export function downloadName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .normalize('NFC')
    .replaceAll(deceiving, '')
    .replaceAll(/\p{Surrogate}/gu, '')
    .replaceAll(/[<>:"|?*]/g, '_')
    .replace(/^[.\s-]+/, '')
    .replace(/[.\s]+$/, '');
  const name = shortened(plain);
  if (name === '') return 'file';
  return device.test(name) ? `_${name}` : name;
}

function shortened(name: string): string {
  const length = (text: string): number => new TextEncoder().encode(text).length;
  if (length(name) <= LONGEST) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  let kept = '';
  for (const character of name.slice(0, name.length - extension.length)) {
    if (length(kept + character + extension) > LONGEST) break;
    kept += character;
  }
  return kept + extension;
}

/** A Content-Disposition (RFC 6266) that has a browser save what comes under a name. */
export function attachment(name: string): string {
  const ascii = name.replaceAll(/[^ -~]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
