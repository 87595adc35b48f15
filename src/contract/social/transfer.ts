import * as v from 'valibot';
import { operation, rawOperation, uploadOperation } from '../operation.ts';
import { timestamp } from '../text.ts';
import { socialLimits } from './limits.ts';

/** What members take along, in the files of Mastodon. */
export const portables = ['follows', 'blocks', 'mutes', 'bookmarks'] as const;
export type Portable = (typeof portables)[number];

const importModes = ['merge', 'overwrite'] as const;
export type ImportMode = (typeof importModes)[number];

const importStates = ['pending', 'done', 'failed'] as const;
export type ImportState = (typeof importStates)[number];

const what = v.picklist(portables, `must be one of ${portables.join(', ')}`);

const socialImport = v.object({
  what: v.picklist(portables),
  mode: v.picklist(importModes),
  state: v.pipe(
    v.picklist(importStates),
    v.description('`failed` if the node could not read it to the end; what it read until then stays'),
  ),
  total: v.pipe(v.number(), v.description('lines of the file')),
  done: v.pipe(v.number(), v.description('lines that were read until now')),
  imported: v.pipe(v.number(), v.description('follows, blocks, mutes or bookmarks that are new')),
  requested: v.pipe(v.number(), v.description('members who were asked, because they approve their followers')),
  present: v.pipe(v.number(), v.description('lines with what was there before')),
  removed: v.pipe(
    v.number(),
    v.description('what an import with `overwrite` removed, because the file does not have it'),
  ),
  refusedCount: v.number(),
  refused: v.pipe(
    v.array(v.object({ line: v.number(), text: v.string(), reason: v.string() })),
    v.description(`the first ${socialLimits.importReport} lines that were refused, with the reason`),
  ),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type SocialImport = v.InferOutput<typeof socialImport>;

const common = { envelope: 'social', auth: 'member' } as const;
const reply = v.object({ import: socialImport });

/** Exports and imports, prefixes `/api/social/export` and `/api/social/import`. */
export const transfer = {
  exportCsv: rawOperation({
    ...common,
    id: 'social.export',
    method: 'GET',
    path: '/api/social/export/:what',
    summary: 'Export whom you follow, block or mute, or your bookmarks, as CSV',
    description:
      'With the columns of Mastodon. Members are `name@host`. Requests to follow are not in it, and neither are bookmarks of posts that you may no longer see. Text that a spreadsheet would calculate begins with an apostrophe.',
    input: v.object({ what }),
    status: 200,
    errors: [],
    limit: { name: 'socialTransfer' },
    accepts: [],
    produces: ['text/csv'],
  }),
  importCsv: uploadOperation({
    ...common,
    id: 'social.import',
    method: 'POST',
    path: '/api/social/import/:what',
    summary: 'Import whom you follow, block or mute, or your bookmarks, from CSV',
    description:
      'A file of this node or of Mastodon, of which only members of this node are found. It is read in the background; `GET /api/social/import` tells how far. Members who approve their followers are asked.',
    input: v.object({
      what,
      mode: v.optional(
        v.pipe(
          v.picklist(importModes, `must be one of ${importModes.join(', ')}`),
          v.description(
            '`overwrite` first ends what the file does not have, unless the file names nothing that is here; what an export leaves out stays',
          ),
        ),
        'merge',
      ),
    }),
    reply,
    status: 202,
    message: 'Import begun',
    creates: true,
    errors: ['IMPORT_UNREADABLE', 'IMPORT_RUNNING'],
    limit: { name: 'socialTransfer' },
    accepts: ['text/csv'],
    maxBody: socialLimits.importBytes,
  }),
  showImport: operation({
    ...common,
    id: 'social.show-import',
    method: 'GET',
    path: '/api/social/import',
    summary: 'Show how far your latest import is, and what it refused',
    description: 'How far the latest import is, and which lines were refused, with the reason.',
    input: v.object({}),
    reply,
    status: 200,
    message: 'Import',
    errors: ['IMPORT_NOT_FOUND'],
  }),
};
