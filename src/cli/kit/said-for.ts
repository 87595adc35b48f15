import { wordOf } from '../passvault/entries/entry-fields.ts';

/** What a field of the API is called where somebody types it: the option of the command, or the word of an assignment. */
export function saidFor(path: string, { command, flags = [] }: { command: string; flags?: readonly string[] }): string {
  const flag =
    path
      .split('.')
      .at(-1)
      ?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) ?? '';
  if (flags.includes(flag)) return `--${flag}`;
  // What an option holds several of, as in --columns title=Site.
  const [option = '', part] = path.split('.');
  if (part !== undefined && flags.includes(option)) return `--${option} ${wordOf(part) ?? part}`;
  return command.startsWith('vault ') ? (wordOf(path) ?? path) : path;
}
