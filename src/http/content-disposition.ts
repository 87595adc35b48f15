/** How browsers keep or show what comes (RFC 6266), with a name of any script (RFC 8187). */
export function contentDisposition(kind: 'attachment' | 'inline', filename: string | undefined): string {
  if (filename === undefined) return kind;
  // For readers that know nothing newer: the rest is replaced, and so is % after which some decode.
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const quoted = `${kind}; filename="${plain}"`;
  return plain === filename ? quoted : `${quoted}; filename*=UTF-8''${extended(filename)}`;
}

function extended(text: string): string {
  // A lone surrogate is no character that could be sent.
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
