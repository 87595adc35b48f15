import { Problem } from '../../../../base/problem.ts';
import type { ImportRun, Skip } from './import-run.ts';
import { notImportable } from './import-run.ts';
import type { KeePassBinary } from './keepass-binaries.ts';
import { readBinaries } from './keepass-binaries.ts';
import { recordOfEntry } from './keepass-entry.ts';
import { referencesIn } from './keepass-references.ts';
import type { KeePassGroup, KeePassTree, XmlNode } from './keepass-tree.ts';
import { readKeePassTree, wordIn } from './keepass-tree.ts';
import type { ImportRecord } from './record.ts';

/** The XML export of KeePass 2 and KeePassXC. */
export async function importKeePassXml(file: { bytes: Buffer; valid: boolean }, run: ImportRun): Promise<void> {
  const { length } = file.bytes;
  const tree = await readKeePassTree(file.bytes, file.valid, run);
  if (tree.broken && tree.entries.length === 0) throw notImportable('The file is not well-formed XML.');
  if (tree.roots !== 1 || tree.rootGroups !== 1) {
    throw notImportable('The file is not an XML export of KeePass: it needs one root with one group.');
  }
  const bin = binOf(tree);
  const resolve = referencesIn(tree.entries);
  const binaries = readBinaries(tree.meta);
  for (const [at, { node, group }] of tree.entries.entries()) {
    const path = pathOf(group);
    const isDiscarded = run.options.includeRecycleBin !== true && path.some((each) => bin(each));
    const attachments = isDiscarded ? [] : await attachmentsOf(node, binaries);
    run.add((row): ImportRecord | Skip => {
      if (isDiscarded) return { skip: 'It is in the recycle bin.' };
      if (attachments instanceof Error) throw attachments;
      const folder = path.slice(1).map(({ name }) => name);
      const record = recordOfEntry(node, { row, folder: folder.join('/'), resolve, attachments, notice: run.notice });
      if (tree.damagedText && 'entry' in record && JSON.stringify(record.entry).includes('\uFFFD')) {
        throw notImportable('It is not UTF-8.');
      }
      return record;
    });
    run.reached(length + Math.floor((length * (at + 1)) / tree.entries.length), 2 * length);
    const turn = run.spend(4096);
    if (turn) await turn;
  }
  if (tree.broken) run.refuse('The file ends too early or is damaged here. The rest could not be read.');
}

/** A value that is too large fails only its own entry. */
async function attachmentsOf(
  node: XmlNode,
  binaries: ReturnType<typeof readBinaries>,
): Promise<KeePassBinary[] | Error> {
  try {
    return await binaries.of(node);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** The groups from the root inwards. */
function pathOf(group: KeePassGroup | undefined): KeePassGroup[] {
  const path: KeePassGroup[] = [];
  for (let each = group; each !== undefined; each = each.parent) path.unshift(each);
  return path;
}

const NO_UUID = 'AAAAAAAAAAAAAAAAAAAAAA==';

/** Tests for the recycle bin: the group that the file names, or else the group with that name directly under the root. */
function binOf({ meta }: KeePassTree): (group: KeePassGroup) => boolean {
  const uuid = wordIn(meta, 'RecycleBinUUID');
  if (uuid !== '' && uuid !== NO_UUID) return (group) => group.uuid === uuid;
  if (meta !== undefined) return () => false;
  return ({ parent, name }) => parent !== undefined && parent.parent === undefined && name === 'Recycle Bin';
}
