/** What the program is made of. */
export interface VersionSource {
  readonly pjson: { readonly name: string; readonly version: string };
  readonly contents: {
    readonly sqlite: string;
    /** machine code, by the names of its packages */
    readonly addons: readonly string[];
    /** name and version of each */
    readonly packages: readonly string[];
  };
  /** where it is */
  readonly place: string;
  /** Of one file: how many of its parts V8 has compiled ahead, and how many of these it doesn't take here. */
  readonly compiled?: { readonly parts: number; readonly refused: number };
}

/** The answer to `conclave --version --verbose`: what a report of a fault or of a vulnerability asks for. */
export function versionDetails({ pjson, contents, place, compiled }: VersionSource, json: boolean): string {
  const { node, v8, openssl } = process.versions;
  const { sqlite, addons, packages } = contents;
  const platform = `${process.platform}-${process.arch}`;
  const isOneFile = compiled !== undefined;
  const details = { version: pjson.version, platform, isOneFile, place, node, v8, openssl, sqlite, addons, packages };
  if (json) return `${JSON.stringify(isOneFile ? { ...details, compiled } : details, undefined, 2)}\n`;
  const rows = [
    [isOneFile ? 'One file' : 'Folder', place],
    ['Node', node],
    ['V8', v8],
    ['OpenSSL', openssl],
    ['SQLite', sqlite],
    ['Addons', addons.join(', ')],
    ...(isOneFile ? [['Compiled', `${compiled.parts} parts ahead, ${compiled.refused} of them refused by V8`]] : []),
    ['Packages', `${packages.length}`],
  ];
  const lines = rows.map(([name = '', value]) => `${name.padEnd(10)}${value}`);
  return [`${pjson.name}/${pjson.version} ${platform}`, ...lines, ...packages.map((name) => `  ${name}`), ''].join(
    '\n',
  );
}
