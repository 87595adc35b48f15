import { serveBlocks } from '../../../src/shared/attachments/peer-blocks.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { joinMailNetwork, mailBlocks } from '../../../src/services/mail/network/network.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { openScene, type PoolHouse, type PoolScene } from '../pool/pool-scene.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';
import type { Correspondent } from './scene.ts';

/** A node of a pool whose members write to those of other nodes. */
export interface MailNode extends PoolHouse {
  readonly domain: string;
  join(username: string): Promise<Correspondent>;
  ask(
    who: Correspondent,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT',
    path: string,
    body?: unknown,
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  ): Promise<any>;
}

export interface MailPool extends AsyncDisposable {
  readonly scene: PoolScene;
  /** @param named whether the request to join names the mail domain */
  open(name: string, named?: boolean): Promise<MailNode>;
  /** everything that can be done now was done: messages of nodes, and jobs that are due */
  settled(): Promise<void>;
  /** the same after a round of the network, in which nodes notice other lists */
  round(): Promise<void>;
  /** runs the jobs of one node that are due */
  jobs(node: MailNode): Promise<void>;
}

/** Nodes `a`, `b` and others, each with the mail domain `<name>.example`. */
export function openMailPool(engine: EngineName): MailPool {
  const scene = openScene(engine);
  const nodes: MailNode[] = [];
  const mail: MailPool = {
    scene,
    jobs: async (node) => await runDueJobs(node, 'mail'),
    async round() {
      scene.network.round();
      await mail.settled();
    },
    async open(name, named = true) {
      const domain = `${name}.example`;
      const { config } = await loadConfig({ flags: {}, env: {}, home: '/nowhere', cwd: '/nowhere' });
      const made = await scene.open(name, {
        config: { mail: { ...config.mail, domain }, network: { ...config.network, enabled: true } },
        joins: (ctx) => {
          joinMailNetwork(ctx);
          serveBlocks(ctx, [mailBlocks(ctx)]);
        },
      });
      const [first] = nodes;
      // The list that the first node makes has its domain.
      if (first !== undefined) await scene.admit(first, made, named ? domain : undefined);
      const node: MailNode = {
        ...made,
        domain,
        async join(username) {
          const member = await made.house.register({ username });
          return { ...member, mailbox: { localPart: username, domain }, address: `${username}@${domain}` };
        },
        async ask(who, method, path, body) {
          const answer = await made.house.api(method, `/api/emails${path}`, {
            token: who.token,
            ...(body !== undefined && { body }),
          });
          if (answer.status >= 300)
            throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
          return answer.body.data;
        },
      };
      nodes.push(node);
      return node;
    },
    async settled() {
      for (let round = 0; round < 3; round += 1) {
        await scene.settled();
        for (const node of nodes) await runDueJobs(node, 'mail');
      }
      await scene.settled();
    },
    [Symbol.asyncDispose]: async () => await scene[Symbol.asyncDispose](),
  };
  return mail;
}
