import { strToU8, zipSync } from 'fflate';

/** Writers of each format, from its description: what a test puts in is what the maker's program would have written. */

export interface SampleLogin {
  readonly title: string;
  readonly username: string;
  readonly password: string;
  readonly url: string;
  readonly notes: string;
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function csvOf(rows: readonly (readonly string[])[], lineEnd = '\n'): string {
  return rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',') + lineEnd).join('');
}

export const writers: Readonly<Record<string, (logins: readonly SampleLogin[]) => Uint8Array>> = {
  managerA_1pux: (logins) => onePux(logins.map((login) => onePuxLogin(login))),
  managerA_csv: (logins) =>
    utf8(
      csvOf([
        ['Title', 'Url', 'Username', 'Password', 'OTPAuth', 'Favorite', 'Archived', 'Tags', 'Notes'],
        ...logins.map(({ title, url, username, password, notes }) => [
          title,
          url,
          username,
          password,
          '',
          'false',
          'false',
          '',
          notes,
        ]),
      ]),
    ),
  managerB_csv: (logins) =>
    utf8(
      csvOf([
        ['url', 'username', 'password', 'totp', 'extra', 'name', 'grouping', 'fav'],
        ...logins.map(({ title, url, username, password, notes }) => [
          url,
          username,
          password,
          '',
          notes,
          title,
          '',
          '0',
        ]),
      ]),
    ),
  managerC_json: (logins) =>
    utf8(
      JSON.stringify({
        encrypted: false,
        folders: [],
        items: logins.map(({ title, url, username, password, notes }) => ({
          id: null,
          type: 1,
          reprompt: 0,
          name: title,
          notes,
          favorite: false,
          login: { uris: [{ match: null, uri: url }], username, password, totp: null },
        })),
      }),
    ),
  managerC_csv: (logins) =>
    utf8(
      csvOf([
        [
          'folder',
          'favorite',
          'type',
          'name',
          'notes',
          'fields',
          'reprompt',
          'login_uri',
          'login_username',
          'login_password',
          'login_totp',
        ],
        ...logins.map(({ title, url, username, password, notes }) => [
          '',
          '',
          'login',
          title,
          notes,
          '',
          '0',
          url,
          username,
          password,
          '',
        ]),
      ]),
    ),
  browserA_csv: (logins) =>
    utf8(
      csvOf([
        ['name', 'url', 'username', 'password', 'note'],
        ...logins.map(({ title, url, username, password, notes }) => [title, url, username, password, notes]),
      ]),
    ),
  browserB_csv: (logins) =>
    utf8(
      csvOf(
        [
          [
            'url',
            'username',
            'password',
            'httpRealm',
            'formActionOrigin',
            'guid',
            'timeCreated',
            'timeLastUsed',
            'timePasswordChanged',
          ],
          ...logins.map(({ url, username, password }) => [url, username, password, '', '', '{1}', '', '', '']),
        ],
        '\r\n',
      ),
    ),
  managerD_xml: (logins) =>
    utf8(
      keePassXml(
        logins
          .map(({ title, url, username, password, notes }) =>
            keePassEntry({ Title: title, UserName: username, Password: password, URL: url, Notes: notes }),
          )
          .join(''),
      ),
    ),
  managerE_json: (logins) =>
    utf8(
      JSON.stringify({
        AUTHENTIFIANT: logins.map(({ title, url, username, password, notes }) => ({
          title,
          url,
          login: username,
          password,
          note: notes,
        })),
      }),
    ),
};

export function onePux(items: readonly unknown[], files: Record<string, Uint8Array> = {}): Uint8Array {
  return onePuxOf([{ attrs: { accountName: 'A' }, vaults: [{ attrs: { name: 'Private', type: 'P' }, items }] }], files);
}

export function onePuxOf(accounts: unknown, files: Record<string, Uint8Array> = {}): Uint8Array {
  return zipSync({
    'export.attributes': strToU8(JSON.stringify({ version: 3, description: '1Password Unencrypted Export' })),
    'export.data': strToU8(JSON.stringify({ accounts })),
    ...files,
  });
}

export function onePuxLogin({ title, username, password, url, notes }: SampleLogin): object {
  return {
    uuid: 'u',
    favIndex: 0,
    createdAt: 1_600_000_000,
    updatedAt: 1_600_000_001,
    state: 'active',
    categoryUuid: '001',
    details: {
      loginFields: [
        { value: username, id: '', name: 'username', fieldType: 'T', designation: 'username' },
        { value: password, id: '', name: 'password', fieldType: 'P', designation: 'password' },
      ],
      notesPlain: notes,
      sections: null,
      passwordHistory: [],
    },
    overview: { subtitle: username, title, url, urls: [{ label: '', url }], tags: [], ps: 0 },
  };
}

function xmlText(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll('\r', '&#xD;').replaceAll('\n', '&#xA;').replaceAll('\t', '&#x9;');
}

/** @param more goes in behind the strings as it is */
export function keePassEntry(
  strings: Record<string, string>,
  more = '',
  protectedKeys: readonly string[] = ['Password'],
): string {
  const fields = Object.entries(strings).map(([key, value]) => {
    const mark = protectedKeys.includes(key) ? ' ProtectInMemory="True"' : '';
    return `<String><Key>${xmlText(key)}</Key><Value${mark}>${xmlText(value)}</Value></String>`;
  });
  return `<Entry>${fields.join('')}${more}</Entry>`;
}

/** @param inside of the root group */
export function keePassXml(inside: string, meta = ''): string {
  return `<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<KeePassFile><Meta><Generator>KeePass</Generator>${meta}</Meta>
<Root><Group><UUID>cm9vdHJvb3Ryb290cm9vdA==</UUID><Name>Database</Name>${inside}</Group></Root></KeePassFile>`;
}
