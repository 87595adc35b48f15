import { Problem } from '../../problem.ts';

/** What a person writes for a place in the file vault: `Container:/folder/file`. */
export interface RemotePath {
  /** name or id; undefined: the oldest own container */
  readonly container: string | undefined;
  /** names from the root folder on */
  readonly names: readonly string[];
}

/**
 * Parses `Container:/folder/file`, `Container:` for its root folder, and `/folder/file` for the oldest own container. A name of a container
 * may have colons, but no slash.
 *
 * @throws Problem invalid USAGE
 */
export function parseRemotePath(text: string): RemotePath {
  const slash = text.indexOf('/');
  const head = slash === -1 ? text : text.slice(0, slash);
  const names =
    slash === -1
      ? []
      : text
          .slice(slash)
          .split('/')
          .filter((name) => name !== '');
  if (head === '' && slash === 0) return { container: undefined, names };
  if (head.length > 1 && head.endsWith(':')) return { container: head.slice(0, -1), names };
  const quoted = JSON.stringify(text);
  throw new Problem('invalid', 'USAGE', `${quoted} is no path. Write Container:/folder/file, or Container: alone.`);
}

/** The folder that a path is in, and the last name. @throws Problem invalid USAGE for a root folder */
export function parentOf({ container, names }: RemotePath): { readonly folder: RemotePath; readonly name: string } {
  const name = names.at(-1);
  if (name === undefined) throw new Problem('invalid', 'USAGE', 'The path names a whole container. Add a name to it.');
  return { folder: { container, names: names.slice(0, -1) }, name };
}

export function pathText({ container = '', names }: RemotePath): string {
  return `${container === '' ? '' : `${container}:`}/${names.join('/')}`;
}
