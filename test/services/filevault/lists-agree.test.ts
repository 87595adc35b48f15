import { describe, expect, it } from 'vitest';
import { permissionFlags, permissionLevels } from '../../../src/contract/filevault/limits.ts';
import type { EntryRow } from '../../../src/services/filevault/access/rights.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { testRandom } from '../../support/seeded.ts';
import { inStage } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { openScene, type Scene } from './scene.ts';
import { slowly } from './slow-rights.ts';

const FOLDERS = 9;
const FILES = 12;

interface Node {
  readonly id: string;
  readonly kind: 'file' | 'folder';
  parent: string | undefined;
  trashed: boolean;
}

/** What a member is shown of a tree, in each way. */
interface Shown {
  /** by their ids */
  readonly byId: readonly string[];
  /** of a listing of the folder that it is in */
  readonly listed: readonly string[];
}

const ids = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id);

/** Asks for everything one by one, and for the list of every folder. */
async function shownTo(scene: Scene, token: string, nodes: readonly Node[]): Promise<{ files: Shown; folders: Shown }> {
  const [files, folders] = [
    { byId: [] as string[], listed: [] as string[] },
    { byId: [] as string[], listed: [] as string[] },
  ];
  for (const { id, kind } of nodes) {
    const path = kind === 'file' ? `/files/${id}/metadata` : `/folders/${id}`;
    const { status, body } = await scene.call('GET', path, undefined, { token });
    expect([200, 403, 404]).toContain(status);
    if (status !== 200) continue;
    (kind === 'file' ? files : folders).byId.push(id);
    if (kind === 'file') continue;
    files.listed.push(...ids(body.files));
    folders.listed.push(...ids(body.subfolders));
  }
  return { files, folders };
}

describe.each(bothEngines)('lists and searches on %s', (engine) => {
  it('show exactly what can be asked for by its id, in random trees with random lists of permissions', async () => {
    // The engines differ in how they ask, and the rules are the same.
    const rounds = inStage(2, engine === 'sqljs' ? 2 : 1, 6);
    await using scene = await openScene(engine);
    const random = testRandom();
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const { clock } = scene.house;
    const nodes: Node[] = [{ id: scene.rootId, kind: 'folder', parent: undefined, trashed: false }];
    const folderIds = () => nodes.flatMap(({ id, kind, trashed }) => (kind === 'folder' && !trashed ? [id] : []));
    for (let at = 0; at < FOLDERS; at += 1) {
      const parent = pick(folderIds());
      nodes.push({ id: await scene.folder(`folder ${at}`, parent), kind: 'folder', parent, trashed: false });
    }
    for (let at = 0; at < FILES; at += 1) {
      const parent = pick(folderIds());
      nodes.push({
        id: await scene.file('x', { name: `file ${at}`, folder: parent }),
        kind: 'file',
        parent,
        trashed: false,
      });
    }
    const members = [await scene.house.register(), await scene.house.register()];
    /** files that the owner has shared with a member, by the id of the member */
    const shared = new Map<string, Set<string>>();
    for (const { memberId } of members) {
      const few = new Set([1, 2, 3].map(() => pick(nodes.filter(({ kind }) => kind === 'file')).id));
      shared.set(memberId, few);
      for (const fileId of few) await scene.get('POST', '/share/internal', { fileId, recipientId: memberId });
    }
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const chainOf = (id: string | undefined): string[] =>
      id === undefined ? [] : [id, ...chainOf(byId.get(id)?.parent)];
    const isLive = (id: string): boolean => chainOf(id).every((one) => !byId.get(one)!.trashed);

    /** by the id of the member */
    let entries = new Map<string, EntryRow[]>();
    let thrown: Node | undefined;
    for (let round = 0; round < rounds; round += 1) {
      if (round > 0) await change();
      entries = await randomLists();
      for (const member of members) await compare(round, member);
    }

    /** Puts a list on each node, many of them empty. @returns all entries, by the id of the member */
    async function randomLists(): Promise<Map<string, EntryRow[]>> {
      const rows = new Map(members.map(({ memberId }) => [memberId, [] as EntryRow[]]));
      for (const { id, kind, trashed } of nodes) {
        if (!isLive(id) || trashed) continue;
        const list = members.flatMap(({ memberId }) => {
          if (random() < 0.65) return [];
          const given = random();
          const level = given < 0.4 ? pick(permissionLevels) : null;
          // Some without `read`, and some with nothing, which denies.
          const flags = level === null ? permissionFlags.filter(() => given > 0.55 && random() < 0.5) : null;
          const until = new Date(clock.now() + (random() < 0.5 ? -1_000 : 1_000_000)).toISOString();
          // The only owner of a list has none.
          const conditions = random() < 0.3 && level !== 'owner' ? { notAfter: until } : undefined;
          rows.get(memberId)?.push({
            node_id: id,
            level,
            flags: flags && JSON.stringify(flags),
            set_flags: null,
            conditions: conditions === undefined ? null : JSON.stringify(conditions),
          });
          return [
            {
              principalId: memberId,
              ...(level !== null && { level }),
              ...(flags !== null && { flags }),
              ...(conditions !== undefined && { conditions }),
            },
          ];
        });
        await scene.get('PUT', `/acl/${kind}/${id}`, { entries: list });
      }
      return rows;
    }

    /** Takes what was thrown away last back, moves something, and throws something away. */
    async function change(): Promise<void> {
      const pathOf = ({ kind, id }: Node): string => `/${kind === 'file' ? 'files' : 'folders'}/${id}`;
      if (thrown !== undefined) {
        await scene.get('POST', `${pathOf(thrown)}/restore`, {});
        thrown.trashed = false;
      }
      const moved = pick(nodes.slice(1));
      const to = pick(folderIds().filter((id) => !chainOf(id).includes(moved.id)));
      if (to !== moved.parent) {
        await scene.get('POST', `/folders/${moved.id}/move`, { itemType: moved.kind, newParentId: to });
        moved.parent = to;
      }
      thrown = pick(nodes.slice(1));
      await scene.get('DELETE', pathOf(thrown));
      thrown.trashed = true;
    }

    async function compare(round: number, { memberId, token }: HouseMember): Promise<void> {
      const name = (list: Iterable<string>): string[] =>
        [...list].map((id) => `${nodes.findIndex((one) => one.id === id)}`).toSorted();
      const own = entries.get(memberId) ?? [];
      const flagsOf = (id: string) => (isLive(id) ? slowly(chainOf(id), own, clock.now()) : []);
      const of = (kind: Node['kind'], wanted: (id: string) => boolean) =>
        ids(nodes.filter((one) => one.kind === kind)).filter(wanted);
      const readable = of(
        'file',
        (id) => flagsOf(id).includes('read') || (isLive(id) && shared.get(memberId)?.has(id) === true),
      );
      const { files, folders } = await shownTo(scene, token, nodes);
      expect([round, 'files by id', name(files.byId)]).toEqual([round, 'files by id', name(readable)]);
      // A share shows nothing of its folder, so its file may be in a folder that is not there for the member.
      const listed = readable.filter((id) => folders.byId.includes(byId.get(id)?.parent ?? ''));
      expect([round, 'listed files', name(files.listed)]).toEqual([round, 'listed files', name(listed)]);
      const { results, total } = await scene.get('GET', '/files/search?limit=100', undefined, { token });
      expect([round, 'found files', total, name(ids(results))]).toEqual([
        round,
        'found files',
        readable.length,
        name(readable),
      ]);
      // The root folder is in no list.
      expect([
        round,
        'folders',
        name([...folders.listed, ...(folders.byId.includes(scene.rootId) ? [scene.rootId] : [])]),
      ]).toEqual([round, 'folders', name(folders.byId)]);
      const [container] = await scene.get('GET', '/vaults', undefined, { token });
      expect([round, 'is in the container', container !== undefined]).toEqual([
        round,
        'is in the container',
        folders.byId.length > 0,
      ]);
      if (container !== undefined)
        expect([round, 'count', container.fileCount]).toEqual([round, 'count', readable.length]);
    }
  });
});
