import { perform } from '../../../client/perform.ts';
import { chat } from '../../../contract/chat.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import { chatLimits } from '../../../contract/chat/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { details, table } from '../../kit/table.ts';
import { assertAttachable } from '../attached-files.ts';
import { chosenSettings } from '../chosen-settings.ts';
import { nameOf, settingPairs } from '../conversation-table.ts';
import { conversationNamed, directWith } from '../find-conversation.ts';
import { joinByName } from '../join-channel.ts';
import { memberNamed } from '../members.ts';
import { messagesText } from '../message-view.ts';
import { operationsOf } from '../operations.ts';
import { ownReaction } from '../own-reaction.ts';
import { presenceColumns } from '../presence.ts';
import { roomOperations } from '../rooms/operations.ts';
import { inOrderOfRoles, memberColumns, nameOr } from '../rooms/views.ts';
import { assertSameName, namedBy } from '../sealed/checked-conversation.ts';
import { forgetEpochs } from '../sealed/own-side.ts';
import { searchableNamed } from '../sealed/searching.ts';
import { verificationText, verifyConversation } from '../sealed/verification.ts';
import { noteOn, placeNow, type Desk } from './desk.ts';
import { readList, readTalk } from './reading.ts';
import { show } from './panel.ts';
import { folderNamed, saveAttachment } from './saving.ts';
import { followThread, listThreads, openThread } from './thread-actions.ts';
import {
  beginningId,
  isSocial,
  newTalk,
  talkIdsOf,
  unbegunPlace,
  withTalk,
  withTalks,
  type Command,
  type Said,
} from './state.ts';

/** What a `/` command does on the node. What it says is told, or shown. */
type Action = (desk: Desk, place: Conversation, command: Command) => Promise<string>;

/** Does a `/` command. @throws Problem that the node, or this program, refuses it with */
export async function run(desk: Desk, command: Command): Promise<void> {
  const place = placeNow(desk, command.id);
  if (place === undefined) return;
  if (command.name === 'save') return noteOn(desk, await saveAttachment(desk, place, command));
  if (command.name === 'attach') return await attach(desk, command);
  const action = actions[command.name];
  // Those of the social network have commands of their own.
  if (action === undefined || (isSocial(place) && !anywhere.has(command.name))) return;
  const note = await action(desk, place as Conversation, command);
  if (note !== '') noteOn(desk, note);
}

/** Puts a file beside the next message, if it can be sent. */
async function attach(desk: Desk, { id, words }: Command): Promise<void> {
  const files = [...(desk.state().talks.get(id)?.files ?? []), folderNamed(words)];
  await assertAttachable(files);
  desk.change((state) => withTalk(state, id, (talk) => ({ ...talk, files })));
}

const anywhere = new Set(['open', 'new', 'join']);

const actions: Readonly<Record<string, Action>> = {
  open: async (desk, _, { words }) => {
    const found = await conversationNamed(desk.client, words);
    desk.change((state) => ({ ...state, places: new Map(state.places).set(found.id, found) }));
    await desk.open(found.id);
    return '';
  },
  new: begin,
  join: async (desk, _, { words }) => {
    const channel = await joinByName(desk.client, words);
    await readList(desk);
    await desk.open(channel.id);
    if (channel.mode !== 'client') return `You joined #${channel.name}.`;
    return 'Only its members can read it. You wait for the key until one gives it to you: conclave chat admit';
  },
  leave: async (desk, { id, type, title }) => {
    if (type === 'direct') return '';
    await perform(desk.client, roomOperations[type].leave, { conversationId: id });
    await forgetEpochs(desk.client, id);
    return `You are not in #${title} any more.`;
  },
  react: async (desk, { id, type }, { words: emoji, message }) => {
    const reaction = await perform(desk.client, operationsOf[type].react, { ...about(id, message), emoji });
    return `You reacted with ${reaction.emoji}.`;
  },
  unreact: async (desk, { id, type }, { words, message }) => {
    const { reactionId, emoji } = ownReaction(
      { reactions: [...(message?.reactions ?? [])] },
      desk.state().me.id,
      words,
    );
    await perform(desk.client, operationsOf[type].unreact, { ...about(id, message), reactionId });
    return `You took ${emoji} back.`;
  },
  pin: async (desk, place, { words, message }) => await pinned(desk, place, words, message, true),
  unpin: async (desk, place, { words, message }) => await pinned(desk, place, words, message, false),
  remove: async (desk, { id, type }, { message }) => {
    await perform(desk.client, operationsOf[type].remove, about(id, message));
    return 'The message is deleted.';
  },
  pins: async (desk, place) => {
    const { items } = await perform(desk.client, operationsOf[place.type].pins, { conversationId: place.id });
    const shown = await desk.side.read(place, items);
    return show(desk, `Pinned in ${nameOf(place)}`, (screen) => messagesText(screen, shown), 'No message is pinned.');
  },
  search: async (desk, place, { words }) => {
    // The words that are searched are for the conversation that the person sees.
    await assertSameName(desk.side, nameOf(place), await namedBy(desk.side, place));
    const within = await searchableNamed(desk.side, place.id);
    const { items } = await perform(desk.client, chat.searchChat, { q: `${words} in:${within}`, limit: 50 });
    return show(
      desk,
      `Found in ${nameOf(place)}: ${words}`,
      (screen) => messagesText(screen, items),
      'No message found.',
    );
  },
  members: async (desk, place) => {
    const { id: conversationId, type } = place;
    if (type === 'direct') return `You and ${place.title}.`;
    const { items, hasMore } = await perform(desk.client, roomOperations[type].members, { conversationId, limit: 200 });
    const more = hasMore ? `\nThere are more: conclave chat ${type} members` : '';
    return show(
      desk,
      `Members of ${nameOf(place)}`,
      (screen) => table(screen, inOrderOfRoles(items), memberColumns(items)) + more,
    );
  },
  who: presence,
  info: async (desk, place) => {
    const { id, type, title, mode, topic, role, ...chosen } = place;
    return show(desk, title, (screen) =>
      details(screen, [
        ['Who can read it', mode === 'client' ? 'its members alone' : 'its members, and the node'],
        ...(topic === undefined || topic === '' ? [] : [['Topic', topic] as const]),
        ...(role === undefined ? [] : [['Your role', role] as const]),
        ...settingPairs(screen, chosen),
        ['Kind', type],
        ['Id', id],
      ]),
    );
  },
  mute: async (desk, place, { words }) => {
    const { mutedUntil } = chosenSettings({ mute: words === '' ? '8h' : words, unmute: false }, Date.now());
    await settings(desk, place, { mutedUntil });
    return 'You are not notified of it for that time.';
  },
  unmute: async (desk, place) => {
    await settings(desk, place, { mutedUntil: null });
    return 'You are notified of it again.';
  },
  archive: async (desk, place) => {
    await settings(desk, place, { archived: !place.archived });
    return place.archived ? 'It is among the others again.' : 'It is in the archive. /open finds it there.';
  },
  verify,
  thread: openThread,
  threads: listThreads,
  follow: async (desk, place, command) => await followThread(desk, place, command, true),
  unfollow: async (desk, place, command) => await followThread(desk, place, command, false),
};

function about(conversationId: string, message: Said | undefined) {
  return { conversationId, messageId: message?.id ?? '' };
}

async function pinned(
  desk: Desk,
  place: Conversation,
  words: string,
  message: Said | undefined,
  isPin: boolean,
): Promise<string> {
  if (words === 'conversation') {
    await settings(desk, place, { pinned: isPin });
    return isPin ? 'The conversation stays on top.' : 'The conversation stands where its time puts it.';
  }
  const { pin, unpin } = operationsOf[place.type];
  await (isPin
    ? perform(desk.client, pin, about(place.id, message))
    : perform(desk.client, unpin, about(place.id, message)));
  return isPin ? 'The message is pinned.' : 'The message is not pinned.';
}

async function settings(
  desk: Desk,
  { id, type }: Conversation,
  change: { readonly mutedUntil?: string | null | undefined; readonly pinned?: boolean; readonly archived?: boolean },
): Promise<void> {
  const now = await perform(desk.client, operationsOf[type].settings, { conversationId: id, ...change });
  desk.change((state) => {
    const place = state.places.get(id);
    return place === undefined ? state : { ...state, places: new Map(state.places).set(id, { ...place, ...now }) };
  });
}

async function presence(desk: Desk, place: Conversation): Promise<string> {
  const { id: conversationId, type, participants = [] } = place;
  const { me, names } = desk.state();
  const people =
    type === 'direct'
      ? participants.map((memberId) => ({ memberId, username: memberId === me.id ? me.name : place.title }))
      : (await perform(desk.client, roomOperations[type].members, { conversationId, limit: chatLimits.watched })).items;
  const memberIds = people.map(({ memberId }) => memberId).slice(0, chatLimits.watched);
  const { items } = await perform(desk.client, chat.showPresence, { memberIds });
  const rows = people.map(({ memberId, username }) => ({
    name: nameOr(memberId, username || (names.get(memberId) ?? '')),
    status: items.find((one) => one.memberId === memberId)?.status ?? ('offline' as const),
  }));
  return show(desk, `Who is there, of ${nameOf(place)}`, (screen) => table(screen, rows, presenceColumns));
}

/** Goes to the conversation with a member, or to where it can be begun. */
async function begin(desk: Desk, _: Conversation, { words }: Command): Promise<string> {
  const [name = '', mode = 'server'] = words.split(/\s+/);
  if (mode !== 'server' && mode !== 'client')
    throw new Problem('invalid', 'USAGE', 'Write /new NAME, or /new NAME client. Groups: conclave chat group create');
  const there = await directWith(desk.client, await memberNamed(desk.client, name), name);
  if (there !== undefined) {
    desk.change((state) => ({ ...state, places: new Map(state.places).set(there.id, there) }));
    await desk.open(there.id);
    return '';
  }
  if (mode === 'client' && !(await desk.unlock())) return 'Your key is needed for that.';
  const id = beginningId(name);
  const place = unbegunPlace(id, name, mode, Date.now());
  desk.change((state) => ({
    ...state,
    places: new Map(state.places).set(id, place),
    talks: new Map(state.talks).set(id, { ...newTalk, isLoading: false }),
  }));
  await desk.open(id);
  return '';
}

/** Compares who can read a conversation with what this machine knows. */
async function verify(desk: Desk, place: Conversation, { words }: Command): Promise<string> {
  if (!(await desk.unlock())) return 'Your key is needed for that.';
  const { side } = desk;
  const { verification, problem } = await verifyConversation(side, nameOf(place), words === 'accept');
  const { memberId } = await side.memory();
  show(desk, `Who can read ${nameOf(place)}`, (screen) => {
    const text = verificationText(screen, verification, memberId);
    return problem === undefined ? text : `${text}\n\n${problem.message}`;
  });
  if (problem !== undefined) return '';
  // What the list said of it may be what did not fit.
  await readList(desk);
  desk.change((state) => withTalks(state, place.id, (talk) => ({ ...talk, doubt: undefined })));
  for (const id of talkIdsOf(desk.state(), place.id)) await readTalk(desk, id);
  return '';
}
