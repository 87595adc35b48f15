/** What has to be closed, the last one first, also when opening the next one fails. Node 20 has no AsyncDisposableStack. */
export class Disposables implements AsyncDisposable {
  readonly #open: AsyncDisposable[] = [];

  add<T extends AsyncDisposable | undefined>(resource: T): T {
    if (resource !== undefined) this.#open.push(resource);
    return resource;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) await next[Symbol.asyncDispose]();
  }
}
