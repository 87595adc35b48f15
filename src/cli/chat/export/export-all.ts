import { Problem } from '../../../base/problem.ts';
import { failures, type Failures } from '../../files/transfer/outcome.ts';
import { isFinal, type Patience } from '../../files/transfer/patience.ts';
import type { Teller } from '../../kit/waiting.ts';
import { conversationsAmong } from '../own-conversations.ts';
import { checkedConversation } from '../sealed/checked-conversation.ts';
import type { OwnSide } from '../sealed/own-side.ts';
import { contextTypes } from '../../../contract/chat/conversation.ts';
import { socialConversationsAmong } from '../../social/messages/own-conversations.ts';
import { socialConversationIfAny } from '../../social/messages/find-conversation.ts';
import { exportConversation, type Exported } from './export-conversation.ts';
import type { ExportFolder } from './export-folder.ts';
import { chatSource, socialSource, type Source } from './sources.ts';

/** The conversations of the caller, or the one that they name. @throws Problem as `checkedConversation` does */
export async function sourcesOf(side: OwnSide, named: string | undefined): Promise<Source[]> {
  const { client } = side;
  if (named !== undefined) return [await sourceNamed(side, named)];
  const all: Source[] = [];
  for (const type of contextTypes)
    for (const one of await conversationsAmong(client, type, () => true)) all.push(chatSource(side, one));
  for (const one of await socialConversationsAmong(client, () => true)) all.push(socialSource(client, one));
  return all;
}

/** Those of chat come before those of the social network. */
async function sourceNamed(side: OwnSide, named: string): Promise<Source> {
  try {
    return chatSource(side, await checkedConversation(side, named));
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'missing')) throw error;
    const found = await socialConversationIfAny(side.client, named, 'direct', 'group');
    if (found === undefined) throw error;
    return socialSource(side.client, found);
  }
}

/** Asks for the key before there is a bar on the terminal. Without it, the conversations that need it fail by themselves. */
export async function askForKey(side: OwnSide, sources: readonly Source[]): Promise<void> {
  if (!sources.some(({ needsKey }) => needsKey)) return;
  try {
    await side.self();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

export interface Outcome {
  readonly exported: readonly Exported[];
  readonly failures: Failures;
}

/** Exports one after the other. One that fails stops the others only if they would fail for the same reason. */
export async function exportAll(
  sources: readonly Source[],
  into: { readonly path: string; readonly folder: ExportFolder; readonly patience: Patience },
  { report }: Teller,
): Promise<Outcome> {
  const { path, folder, patience } = into;
  const failed = failures();
  const exported: Exported[] = [];
  for (const source of sources) {
    try {
      exported.push(await exportConversation(source, { path, exported: folder, report, patience }));
    } catch (error) {
      patience.signal?.throwIfAborted();
      if (!(error instanceof Problem)) throw error;
      failed.add(source.name, error);
      if (isFinal(error)) break;
    }
  }
  return { exported, failures: failed };
}
