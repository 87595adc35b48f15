import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { hex, memberId, recordId } from '../../contract/text.ts';
import { writePrivateJson } from '../private-json.ts';
import type { SessionTicket } from './collect.ts';

const ticketForm = v.object({
  documentId: recordId,
  sessionId: recordId,
  /** of the re-sharing that the session belongs to */
  reshareId: v.optional(recordId),
  /** its new holders */
  memberIds: v.optional(v.array(memberId)),
  privateKey: hex(32),
  server: v.string(),
});

/** A ticket in a file, for a command that was ended before its session. */
export interface KeptTicket extends SessionTicket {
  readonly reshareId?: string | undefined;
  readonly memberIds?: readonly string[] | undefined;
  /** where the session is */
  readonly server: string;
}

/** Keeps a ticket in a file that its owner alone can read. @param folder of the stored sign-ins */
export async function keepTicket(folder: string, ticket: KeptTicket): Promise<void> {
  await mkdir(join(folder, 'quorum'), { recursive: true, mode: 0o700 });
  await writePrivateJson(fileOf(folder, ticket.sessionId), ticket);
}

/** Call it when the session has ended. */
export async function dropTicket(folder: string, { sessionId }: Pick<KeptTicket, 'sessionId'>): Promise<void> {
  await rm(fileOf(folder, sessionId), { force: true });
}

/** The kept tickets for a server, the newest first. */
export async function keptTickets(folder: string, server: string): Promise<KeptTicket[]> {
  const names = await readdir(join(folder, 'quorum')).catch(() => []);
  const found: KeptTicket[] = [];
  for (const name of names.toSorted().toReversed()) {
    const ticket = await readTicket(join(folder, 'quorum', name));
    if (ticket?.server === server) found.push(ticket);
  }
  return found;
}

/** @returns undefined for a file that is no ticket or is just being removed */
async function readTicket(path: string): Promise<KeptTicket | undefined> {
  try {
    const { success, output } = v.safeParse(ticketForm, JSON.parse(await readFile(path, 'utf8')));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

function fileOf(folder: string, sessionId: string): string {
  return join(folder, 'quorum', `${sessionId}.json`);
}
