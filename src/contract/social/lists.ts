import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { givenName, recordId, timestamp } from '../text.ts';
import { socialLimits } from './limits.ts';
import { person, personName } from './person.ts';
import { keepsDirection, visible } from '../shown-text.ts';

/** A list holds anybody; a category labels members whom its owner follows. */
const listKinds = ['list', 'category'] as const;
export type ListKind = (typeof listKinds)[number];

const memberList = v.object({
  _id: recordId,
  name: v.string(),
  memberCount: v.pipe(v.number(), v.description('also counts members whom the owner does not see for the moment')),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type MemberList = v.InferOutput<typeof memberList>;

const name = v.pipe(givenName(socialLimits.listName), visible, keepsDirection);
const naming = v.object({ name });
const byId = v.object({ id: recordId });
const renaming = v.object({ id: recordId, name });
const several = v.pipe(
  v.array(personName, 'must be a list'),
  v.minLength(1, 'must name at least one member'),
  v.maxLength(socialLimits.listedAtOnce, `must name at most ${socialLimits.listedAtOnce} members`),
);
const ofMembers = v.object({ id: recordId, userIds: several });
const reply = v.object({ list: memberList });
const nothing = v.null();

const lists = '/api/social/lists';
const categories = '/api/social/categories';
const common = { envelope: 'social', auth: 'member' } as const;

/** Lists, prefix `/api/social/lists`, and categories, prefix `/api/social/categories`. Nobody but their owner knows of them. */
export const ownLists = {
  createList: operation({
    ...common,
    id: 'social.create-list',
    method: 'POST',
    path: lists,
    summary: 'Make a list of members',
    description: 'Only you see your lists. The home timeline with `listId` has the posts of the members of one.',
    input: naming,
    reply,
    status: 201,
    message: 'List created',
    errors: ['NAME_TAKEN', 'TOO_MANY_LISTS'],
  }),
  listLists: operation({
    ...common,
    id: 'social.lists',
    method: 'GET',
    path: lists,
    summary: 'List your lists, by name',
    description: 'Only you see your lists, in the order of their names.',
    ...paged({ name: 'lists', of: memberList }),
    status: 200,
    message: 'Lists',
  }),
  showList: operation({
    ...common,
    id: 'social.list',
    method: 'GET',
    path: `${lists}/:id`,
    summary: 'Show one of your lists',
    description: 'Only you see your lists, and how many members they have.',
    input: byId,
    reply,
    status: 200,
    message: 'List',
    errors: ['LIST_NOT_FOUND'],
  }),
  renameList: operation({
    ...common,
    id: 'social.rename-list',
    method: 'PUT',
    path: `${lists}/:id`,
    summary: 'Rename a list',
    description: 'Names of your lists differ in more than case and accents.',
    input: renaming,
    reply,
    status: 200,
    message: 'List renamed',
    errors: ['LIST_NOT_FOUND', 'NAME_TAKEN'],
  }),
  deleteList: operation({
    ...common,
    id: 'social.delete-list',
    method: 'DELETE',
    path: `${lists}/:id`,
    summary: 'Delete a list',
    description: 'The members are not told. What they wrote stays.',
    input: byId,
    reply: nothing,
    status: 204,
    message: 'List deleted',
    errors: ['LIST_NOT_FOUND'],
  }),
  listListMembers: operation({
    ...common,
    id: 'social.list-members',
    method: 'GET',
    path: `${lists}/:id/members`,
    summary: 'List the members of a list, by id',
    description: 'Only you see who is in your lists. Suspended members are missing.',
    ...paged({ name: 'people', of: person, filter: { id: recordId }, errors: ['LIST_NOT_FOUND'] }),
    status: 200,
    message: 'Members of the list',
  }),
  addToList: operation({
    ...common,
    id: 'social.add-to-list',
    method: 'POST',
    path: `${lists}/:id/members`,
    summary: 'Add members to a list',
    description:
      'All of them, or none if one does not exist for you. Whoever is in the list stays. A block between you takes a member off your lists.',
    input: ofMembers,
    reply,
    status: 200,
    message: 'Members added',
    errors: ['LIST_NOT_FOUND', 'MEMBER_NOT_FOUND', 'LIST_FULL'],
  }),
  removeFromList: operation({
    ...common,
    id: 'social.remove-from-list',
    method: 'DELETE',
    path: `${lists}/:id/members`,
    summary: 'Remove members from a list',
    description: 'All of them, or none if one is not in the list.',
    input: ofMembers,
    reply,
    status: 200,
    message: 'Members removed',
    errors: ['LIST_NOT_FOUND', 'NOT_IN_LIST'],
  }),
  createCategory: operation({
    ...common,
    id: 'social.create-category',
    method: 'POST',
    path: categories,
    summary: 'Make a category of members whom you follow',
    description:
      'Only you see your categories. The home timeline with `categoryId` has the posts of the members in one.',
    input: naming,
    reply,
    status: 201,
    message: 'Category created',
    errors: ['NAME_TAKEN', 'TOO_MANY_LISTS'],
  }),
  listCategories: operation({
    ...common,
    id: 'social.categories',
    method: 'GET',
    path: categories,
    summary: 'List your categories, by name',
    description: 'Only you see your categories, in the order of their names.',
    ...paged({ name: 'categories', of: memberList }),
    status: 200,
    message: 'Categories',
  }),
  showCategory: operation({
    ...common,
    id: 'social.category',
    method: 'GET',
    path: `${categories}/:id`,
    summary: 'Show one of your categories',
    description: 'Only you see your categories, and how many members they have.',
    input: byId,
    reply,
    status: 200,
    message: 'Category',
    errors: ['LIST_NOT_FOUND'],
  }),
  renameCategory: operation({
    ...common,
    id: 'social.rename-category',
    method: 'PUT',
    path: `${categories}/:id`,
    summary: 'Rename a category',
    description: 'Names of your categories differ in more than case and accents.',
    input: renaming,
    reply,
    status: 200,
    message: 'Category renamed',
    errors: ['LIST_NOT_FOUND', 'NAME_TAKEN'],
  }),
  deleteCategory: operation({
    ...common,
    id: 'social.delete-category',
    method: 'DELETE',
    path: `${categories}/:id`,
    summary: 'Delete a category',
    description: 'You go on following its members, who are not told.',
    input: byId,
    reply: nothing,
    status: 204,
    message: 'Category deleted',
    errors: ['LIST_NOT_FOUND'],
  }),
  listCategoryMembers: operation({
    ...common,
    id: 'social.category-members',
    method: 'GET',
    path: `${categories}/:id/members`,
    summary: 'List the members of a category, by id',
    description: 'Only you see who is in your categories. Suspended members are missing.',
    ...paged({ name: 'people', of: person, filter: { id: recordId }, errors: ['LIST_NOT_FOUND'] }),
    status: 200,
    message: 'Members of the category',
  }),
  addToCategory: operation({
    ...common,
    id: 'social.add-to-category',
    method: 'POST',
    path: `${categories}/:id/members`,
    summary: 'Put members whom you follow into a category',
    description: 'All of them, or none. Whoever you stop following is in no category any more.',
    input: ofMembers,
    reply,
    status: 200,
    message: 'Members added',
    errors: ['LIST_NOT_FOUND', 'MEMBER_NOT_FOUND', 'NOT_FOLLOWING', 'LIST_FULL'],
  }),
  removeFromCategory: operation({
    ...common,
    id: 'social.remove-from-category',
    method: 'DELETE',
    path: `${categories}/:id/members`,
    summary: 'Take members out of a category',
    description: 'All of them, or none if one is not in the category.',
    input: ofMembers,
    reply,
    status: 200,
    message: 'Members removed',
    errors: ['LIST_NOT_FOUND', 'NOT_IN_LIST'],
  }),
};
