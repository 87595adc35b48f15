import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import { signInFolder } from '../../client/sign-ins.ts';
import type { KeptTicket } from '../../client/quorum/tickets.ts';
import { quorumSessions } from '../../contract/quorum/sessions.ts';
import { Problem } from '../../base/problem.ts';
import type { Terminal } from '../kit/terminal.ts';

/** What a command that was ended before its session left behind, so that the same session goes on. */
export interface Ongoing {
  find(documentId: string, reshare: boolean): Promise<KeptTicket | undefined>;
  keep(ticket: Omit<KeptTicket, 'server'>): Promise<void>;
  drop(ticket: Pick<KeptTicket, 'sessionId'>): Promise<void>;
}

export async function ongoing(client: Client, { env }: Terminal): Promise<Ongoing> {
  const { dropTicket, keepTicket, keptTickets } = await import('../../client/quorum/tickets.ts');
  const folder = signInFolder(env);
  const { server } = client.connection;
  const drop: Ongoing['drop'] = async (ticket) => await dropTicket(folder, ticket);
  return {
    drop,
    keep: async (ticket) => await keepTicket(folder, { ...ticket, server }),
    async find(documentId, reshare) {
      for (const ticket of await keptTickets(folder, server)) {
        if (ticket.documentId !== documentId || (ticket.reshareId !== undefined) !== reshare) continue;
        if (reshare || (await isOpen(client, ticket))) return ticket;
        await drop(ticket);
      }
      return undefined;
    },
  };
}

async function isOpen(client: Client, { documentId, sessionId }: KeptTicket): Promise<boolean> {
  try {
    const { session } = await perform(client, quorumSessions.showSession, { documentId, sessionId });
    return session.status === 'open';
  } catch (error) {
    if (error instanceof Problem && error.kind === 'missing') return false;
    throw error;
  }
}
