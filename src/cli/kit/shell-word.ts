/** What a shell takes as it is. */
const plain = /^[\w@%+=:,./-]+$/;

/**
 * A name as a word of a command that a person copies: names are anybody's, and a shell must run nothing of them. On Windows, where `'` is no
 * quote of cmd.exe, nothing in it runs either.
 */
export function shellWord(text: string): string {
  return plain.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
