import { Problem } from '../../base/problem.ts';

/** What a person writes for a place in the file vault: `Container:/folder/file`. */
export interface RemotePath {
  /** name or id; undefined: the oldest own container */
  readonly container: string | undefined;
  /** names from the root folder on */
  readonly names: readonly string[];
  /** that of a file or folder, from which the names go on. There is no container then. */
  readonly id?: string;
}

const bareId = /^[0-9a-f]{32}$/i;

/**
 * Whether a command that takes paths of both sides means one of the server: what stands before the first slash ends with a colon, or the
 * whole is an id. On Windows a letter with a colon is a drive. Everything else is on this machine, and `./` before it makes that sure.
 */
export function isRemote(text: string, platform: string = process.platform): boolean {
  const [head = ''] = text.split('/');
  if (platform === 'win32' && /^[a-z]:$/i.test(head)) return false;
  return bareId.test(text) || (head.length > 1 && head.endsWith(':'));
}

/**
 * Parses `Container:/folder/file`, `Container:` for its root folder, and `/folder/file` for the oldest own container. A name of a container
 * may have colons, but no slash. The id of a file or folder is a path, too, and that of a folder may go on: `ID/file`.
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
  if (bareId.test(head)) return { container: undefined, names, id: head.toLowerCase() };
  if (head === '' && slash === 0) return { container: undefined, names };
  if (head.length > 1 && head.endsWith(':')) return { container: head.slice(0, -1), names };
  const quoted = JSON.stringify(text);
  throw new Problem('invalid', 'USAGE', `${quoted} is no path. Write Container:/folder/file, or Container: alone.`);
}

/** The folder that a path is in, and the last name. @throws Problem invalid USAGE for a root folder */
export function parentOf({ container, names, id }: RemotePath): { readonly folder: RemotePath; readonly name: string } {
  const name = names.at(-1);
  if (name === undefined)
    throw new Problem(
      'invalid',
      'USAGE',
      'The path names a whole container, or something by its id. Add a name to it.',
    );
  return { folder: { container, names: names.slice(0, -1), ...(id !== undefined && { id }) }, name };
}

export function pathText({ container = '', names, id }: RemotePath): string {
  if (id !== undefined) return [id, ...names].join('/');
  return `${container === '' ? '' : `${container}:`}/${names.join('/')}`;
}
