import { describe, expect, it } from 'vitest';
import { type VersionSource, versionDetails } from '../../src/cli/kit/version-details.ts';

const source: VersionSource = {
  pjson: { name: 'conclave', version: '1.2.3' },
  contents: { sqlite: '3.54.1', addons: ['argon2 0.44.0'], packages: ['argon2 0.44.0', 'h3 2.0.8'] },
  place: '/opt/conclave',
};

describe('what is in a version', () => {
  it('is told to people, and to programs', () => {
    const { node, v8, openssl } = process.versions;
    const platform = `${process.platform}-${process.arch}`;
    expect(versionDetails(source, false)).toBe(
      [
        `conclave/1.2.3 ${platform}`,
        'Folder    /opt/conclave',
        `Node      ${node}`,
        `V8        ${v8}`,
        `OpenSSL   ${openssl}`,
        'SQLite    3.54.1',
        'Addons    argon2 0.44.0',
        'Packages  2',
        '  argon2 0.44.0',
        '  h3 2.0.8',
        '',
      ].join('\n'),
    );
    const told = { version: '1.2.3', platform, isOneFile: false, place: '/opt/conclave', node, v8, openssl };
    expect(JSON.parse(versionDetails(source, true))).toEqual({ ...told, ...source.contents });
  });

  it('has what V8 refuses of one file', () => {
    const compiled = { parts: 300, refused: 2 };
    const page = versionDetails({ ...source, compiled }, false);
    expect(page).toContain('One file  /opt/conclave\n');
    expect(page).toContain('Compiled  300 parts ahead, 2 of them refused by V8\n');
    expect(JSON.parse(versionDetails({ ...source, compiled }, true))).toMatchObject({ isOneFile: true, compiled });
  });
});
