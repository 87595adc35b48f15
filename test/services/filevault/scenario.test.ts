import { describe, expect, it } from 'vitest';
import { allOperations } from '../../../src/contract/all.ts';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { runFilevaultScenario } from './filevault-scenario.ts';

/** They need the operator, or a scanner, and succeed in tests of their own. */
const elsewhere = new Set([
  'filevault.check-all',
  'filevault.collect-garbage',
  'filevault.release-quarantined',
  'filevault.destroy-quarantined',
]);

describe.each(bothEngines)('the life of a container on %s', (engine) => {
  it('uses every operation with success', async () => {
    await using house = await openHouse(engine);
    const [owner, editor] = [await house.register(), await house.register()];
    const used = new Set<string>();
    const operations = allOperations().filter(({ id }) => id.startsWith('filevault.'));
    await runFilevaultScenario(
      async (request) => {
        const path = new URL(request.url).pathname;
        const known = operations.filter(
          (op) =>
            op.method === request.method &&
            new RegExp(`^${op.path.replaceAll(/\*\w+/g, '.+').replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
        );
        // Of two, a fixed path is meant before one with a parameter.
        const [op] = known.toSorted((a, b) => a.path.split(':').length - b.path.split(':').length);
        used.add(op?.id ?? path);
        return await house.fetch(request);
      },
      'http://house.test',
      { owner, editor },
    );
    const wanted = operations.map(({ id }) => id).filter((id) => !elsewhere.has(id));
    expect([...used].toSorted()).toEqual(wanted.toSorted());
    const rows = await house.ctx.db.selectFrom('file_audit').select('action').orderBy('ledger_entry').execute();
    expect(rows.map((row) => row.action)).toEqual([
      'CONTAINER_CREATED',
      'CONTAINER_CHANGED',
      'FOLDER_CREATED',
      'FOLDER_CREATED',
      'FOLDER_RENAMED',
      'FOLDER_MOVED',
      'FOLDER_TRASHED',
      'FOLDER_RESTORED',
      'UPLOAD_ABORTED',
      'FILE_CREATED',
      'VERSION_CREATED',
      'FILE_CHANGED',
      'FILE_DOWNLOADED',
      'VERSION_RESTORED',
      'FILE_DOWNLOADED',
      'FILE_PREVIEWED',
      'FILE_TRASHED',
      'FILE_RESTORED',
      'VERSIONS_DESTROYED',
      'CONTAINER_CHANGED',
      'FILE_CHANGED',
      'FILE_PREVIEWED',
      'FILE_CREATED',
      'FILE_TRASHED',
      'DESTRUCTION_BEGUN',
      'FILE_DESTROYED',
      'TRASH_EMPTIED',
      'PERMISSION_SET_CREATED',
      'ACL_CHANGED',
      'ACL_CHANGED',
      'ACL_CHANGED',
      'PERMISSION_SET_REMOVED',
      'FILE_SHARED',
      'SHARE_KEYS_READ',
      'SHARE_LINK_CREATED',
      'SHARE_LINK_ACCESSED',
      'SHARE_LINK_REVOKED',
      'SHARE_REVOKED',
      'DESTRUCTION_SCHEDULED',
      'DESTRUCTION_CANCELLED',
      'DESTRUCTION_BEGUN',
      'FILE_DESTROYED',
      'FILE_CREATED',
      'DESTRUCTION_BEGUN',
      'FILE_DESTROYED',
      'FILE_CREATED',
      'ACL_CHANGED',
      'APPROVAL_REQUESTED',
      'APPROVAL_GIVEN',
      'APPROVAL_REJECTED',
      'APPROVAL_REQUESTED',
      'APPROVAL_CANCELLED',
      'CANARY_CREATED',
      'CANARY_CHANGED',
      'CANARY_REMOVED',
      'CONTAINER_LOCKED',
      'CONTAINER_UNLOCKED',
      'CONTAINER_DESTROYED',
      'DESTRUCTION_BEGUN',
      'FILE_DESTROYED',
      'CONTAINER_CREATED',
      'KEYS_ADDED',
      'FILE_CREATED',
      'FILE_DOWNLOADED',
      'CONTAINER_DESTROYED',
      'DESTRUCTION_BEGUN',
      'FILE_DESTROYED',
    ]);
    expect(await house.ctx.db.selectFrom('file_contents').selectAll().execute()).toEqual([]);
    expect(await house.ctx.db.selectFrom('member_storage').select('bytes').execute()).toEqual([{ bytes: 0 }]);
  });
});
