import * as v from 'valibot';
import { operation, rawOperation } from '../operation.ts';
import { timestamp } from '../text.ts';

const archiveStates = ['pending', 'ready', 'failed'] as const;
export type ArchiveState = (typeof archiveStates)[number];

const socialArchive = v.object({
  state: v.picklist(archiveStates),
  done: v.pipe(v.number(), v.description('posts, bookmarks, likes, votes and media that are written until now')),
  total: v.pipe(v.number(), v.description('things to write; 0 before they are counted')),
  size: v.pipe(v.optional(v.number()), v.description('bytes, once it is ready')),
  createdAt: timestamp,
  finishedAt: v.optional(timestamp),
  expiresAt: v.pipe(v.optional(timestamp), v.description('it is gone from then on')),
});
export type SocialArchive = v.InferOutput<typeof socialArchive>;

const root = '/api/social/archive';
const common = { envelope: 'social', auth: 'member' } as const;
const reply = v.object({ archive: socialArchive });

/** All that a member has in the social network, in one file, prefix `/api/social/archive`. */
export const archive = {
  createArchive: operation({
    ...common,
    id: 'social.create-archive',
    method: 'POST',
    path: root,
    summary: 'Make an archive of all that you have in the social network',
    description:
      'It is made in the background, and can be downloaded for 7 days. It replaces the archive before it. It has your profile, posts and media, likes, votes, bookmarks, hubs, lists, categories and filters, preferences of notifications and reports, whom you follow, block and mute, and who follows you; of others what you may see.',
    input: v.object({}),
    reply,
    status: 202,
    message: 'Archive begun',
    limit: { name: 'socialTransfer' },
    creates: true,
    errors: ['ARCHIVE_PENDING'],
  }),
  showArchive: operation({
    ...common,
    id: 'social.archive',
    method: 'GET',
    path: root,
    summary: 'Show how far your archive is',
    description: 'How far it is, and until when it can be downloaded.',
    input: v.object({}),
    reply,
    status: 200,
    message: 'Archive',
    errors: ['ARCHIVE_NOT_FOUND'],
  }),
  downloadArchive: rawOperation({
    ...common,
    id: 'social.download-archive',
    method: 'GET',
    path: `${root}/download`,
    summary: 'Download your archive',
    description:
      'A tar file with JSON in UTF-8, and media as they are. It is encrypted on the node, and not in the download.',
    input: v.object({}),
    status: 200,
    errors: ['ARCHIVE_NOT_FOUND', 'ARCHIVE_PENDING'],
    accepts: [],
    produces: ['application/x-tar'],
    ranges: true,
  }),
};
