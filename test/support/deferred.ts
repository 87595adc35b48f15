/** A promise that its holder resolves, as `Promise.withResolvers` of later versions of Node makes it. */
export function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
