// node compile-called.cjs STAGE CALLED: writes what V8 compiles of scripts of the pack to STAGE/compiled, in one order. It numbers all functions
// of a process. CALLED is the file with what `mostCalled` has found.
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { dirname, join } = require('node:path');

const [stage, calledFile] = process.argv.slice(2);
const { openPack, scriptOf } = require(join(stage, 'start.cjs'));
const pack = new Uint8Array(readFileSync(join(stage, 'pack'))).buffer;
const { readText } = openPack(pack, readFileSync(join(stage, 'places'), 'utf8'), stage);
const called = JSON.parse(readFileSync(calledFile, 'utf8'));

const loaded = Object.entries(called).map(([name, functions]) => {
  const text = readText(name);
  const script = scriptOf(name, text);
  // The debugger knows of scripts that have run alone. This one only makes its function.
  script.runInThisContext();
  return { name, script, positions: positionsIn(text, functions) };
});
compileFunctions();
for (const { name, script } of loaded) {
  const file = join(stage, 'compiled', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, script.createCachedData());
}

/** To tell where a breakpoint may be in a function, the debugger compiles it and those around it, and none of the others. */
function compileFunctions() {
  const session = new Session();
  const ids = new Map();
  session.connect();
  session.on('Debugger.scriptParsed', ({ params: { url, scriptId } }) => ids.set(url, scriptId));
  session.post('Debugger.enable');
  for (const { name, positions } of loaded)
    for (const position of positions) {
      const start = { scriptId: ids.get(name), ...position };
      const end = { ...start, columnNumber: start.columnNumber + 1 };
      session.post('Debugger.getPossibleBreakpoints', { start, end, restrictToFunction: true }, refuse);
    }
  session.disconnect();
}

function refuse(error) {
  if (error) throw error;
}

/** @returns {{ lineNumber: number, columnNumber: number }[]} from 0, of characters by their numbers from 0, which ascend */
function positionsIn(text, characters) {
  let [lineNumber, lineStart] = [0, 0];
  return characters.map((at) => {
    for (let end = text.indexOf('\n', lineStart); end !== -1 && end < at; end = text.indexOf('\n', lineStart)) {
      lineNumber += 1;
      lineStart = end + 1;
    }
    return { lineNumber, columnNumber: at - lineStart };
  });
}
