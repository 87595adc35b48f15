import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { line, recordId, timestamp } from '../text.ts';
import { socialLimits } from './limits.ts';

const filterActions = ['hide', 'warn'] as const;
export type FilterAction = (typeof filterActions)[number];

/** Where a filter works. `public` is also for hashtags and the search, `profile` for the posts of one member. */
export const filterContexts = ['home', 'public', 'hub', 'thread', 'profile', 'notifications'] as const;
export type FilterContext = (typeof filterContexts)[number];

const phrase = v.pipe(
  line(socialLimits.filterPhrase),
  v.trim(),
  v.minLength(1, 'must not be blank'),
  v.description('what posts with it have in their text or warning, in any case'),
);
const wholeWord = v.pipe(
  v.boolean('must be true or false'),
  v.description(
    'only where no letter or digit is beside it; scripts without spaces have no such places, and match anywhere',
  ),
);
const action = v.pipe(
  v.picklist(filterActions, `must be one of ${filterActions.join(', ')}`),
  v.description('`hide` leaves such posts out, `warn` names the phrases in `filtered` of the post'),
);
const contexts = v.pipe(
  v.array(v.picklist(filterContexts, `must be one of ${filterContexts.join(', ')}`), 'must be a list'),
  v.minLength(1, 'must not be empty'),
  v.maxLength(filterContexts.length, `must have at most ${filterContexts.length} items`),
);
const expiresAt = v.pipe(timestamp, v.description('it has no effect from then on'));

const filter = v.object({
  _id: recordId,
  phrase: v.string(),
  wholeWord: v.boolean(),
  action: v.picklist(filterActions),
  contexts: v.array(v.picklist(filterContexts)),
  expiresAt: v.pipe(v.optional(timestamp), v.description('missing without an end')),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Filter = v.InferOutput<typeof filter>;

const root = '/api/social/filters';
const one = `${root}/:id`;
const common = { envelope: 'social', auth: 'member' } as const;
const reply = v.object({ filter });

/** Filters of words, prefix `/api/social/filters`. They work for their owner alone, and never on their owner's posts. */
export const filters = {
  createFilter: operation({
    ...common,
    id: 'social.create-filter',
    method: 'POST',
    path: root,
    summary: 'Filter posts with a phrase',
    description: `You can have ${socialLimits.filters} filters, those that have ended included.`,
    input: v.object({
      phrase,
      wholeWord: v.optional(wholeWord, true),
      action: v.optional(action, 'warn'),
      contexts: v.optional(contexts, [...filterContexts]),
      expiresAt: v.optional(expiresAt),
    }),
    reply,
    status: 201,
    message: 'Filter created',
    errors: ['TOO_MANY_FILTERS'],
  }),
  listFilters: operation({
    ...common,
    id: 'social.filters',
    method: 'GET',
    path: root,
    summary: 'List your filters, the oldest first',
    description: 'Also those that have ended, until you delete them.',
    ...paged({ name: 'filters', of: filter }),
    status: 200,
    message: 'Filters',
  }),
  showFilter: operation({
    ...common,
    id: 'social.filter',
    method: 'GET',
    path: one,
    summary: 'Show a filter',
    description: 'A filter of somebody else does not exist for you.',
    input: v.object({ id: recordId }),
    reply,
    status: 200,
    message: 'Filter',
    errors: ['FILTER_NOT_FOUND'],
  }),
  updateFilter: operation({
    ...common,
    id: 'social.update-filter',
    method: 'PUT',
    path: one,
    summary: 'Change a filter',
    description: 'Fields that are left out stay. `expiresAt: null` takes its end away.',
    input: v.object({
      id: recordId,
      phrase: v.optional(phrase),
      wholeWord: v.optional(wholeWord),
      action: v.optional(action),
      contexts: v.optional(contexts),
      expiresAt: v.optional(v.nullable(expiresAt)),
    }),
    reply,
    status: 200,
    message: 'Filter updated',
    errors: ['FILTER_NOT_FOUND'],
  }),
  deleteFilter: operation({
    ...common,
    id: 'social.delete-filter',
    method: 'DELETE',
    path: one,
    summary: 'Delete a filter',
    description: 'The posts that it left out are back at once.',
    input: v.object({ id: recordId }),
    reply: v.null(),
    status: 204,
    message: 'Filter deleted',
    errors: ['FILTER_NOT_FOUND'],
  }),
};
