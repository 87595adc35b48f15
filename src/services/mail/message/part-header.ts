const END = '\r\n\r\n';

/**
 * Whether what follows these octets, the latest of a message, is text that is shown, not an attachment. The header of a part stands before
 * its content. It is read roughly: what is mistaken for text is parsed, and what is mistaken for an attachment is listed as one.
 */
export function isBodyAfter(octets: Buffer): boolean {
  const text = octets.toString('latin1');
  if (!text.endsWith(END)) return false;
  const header = text.slice(text.lastIndexOf(END, text.length - END.length - 1) + 1, -2);
  if (/^content-disposition:\s*"?attachment/im.test(header)) return false;
  const type = /^content-type:\s*([^\s;]*)/im.exec(header)?.[1]?.toLowerCase();
  return type === undefined || type === 'text/plain' || type === 'text/html';
}
