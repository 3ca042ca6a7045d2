// Runs a peer's own, unchanged class on streams and says after each event whether it reports a loop.
//
//   node driver.mjs CLASS_FILE STREAMS
//
// STREAMS holds a JSON array of events a line: ["content", CODE_UNITS], ["call", NAME, JSON_TEXT], ["clear"], ["reset"].
// For each line one line of 0 and 1 is printed, a digit an event.
//
// Only the class's own file is loaded. Whatever it imports from its package (telemetry, configuration, the names of
// events) is replaced by something that can be called, constructed and asked for any property, whose value is its name.
import { createReadStream, readFileSync } from 'node:fs';
import { register } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [, , file, streams] = process.argv;
const source = readFileSync(file, 'utf8');
const names = {};
for (const [, list, specifier] of source.matchAll(/^import\s*\{([^}]*)\}\s*from\s*'([^']+)'/gm)) {
  names[specifier] = list.split(',').map((name) => name.trim().split(/\s+as\s+/)[0]).filter(Boolean);
}
const hooks = `
  const stubs = ${JSON.stringify(names)};
  const stand_in = 'new Proxy(function () {}, { get: (_, name) => String(name), apply: () => undefined, construct: () => ({}) })';
  export function resolve(specifier, context, next) {
    if (specifier.startsWith('node:') || specifier.startsWith('file:') || !(specifier in stubs)) {
      return next(specifier, context);
    }
    const text = stubs[specifier].map((name) => 'export const ' + name + ' = ' + stand_in + ';').join('');
    return { url: 'data:text/javascript,' + encodeURIComponent(text), shortCircuit: true };
  }
`;
register('data:text/javascript,' + encodeURIComponent(hooks));
const { LoopDetectionService } = await import(pathToFileURL(file).href);

const configuration = { getDisableLoopDetection: () => false, getDebugMode: () => false };
const lines = createInterface({ input: createReadStream(streams), crlfDelay: Infinity });
for await (const line of lines) {
  const service = new LoopDetectionService({ ...configuration, config: configuration });
  let verdicts = '';
  for (const [kind, first, second] of JSON.parse(line)) {
    let result = false;
    if (kind === 'content') {
      result = service.addAndCheck({ type: 'Content', value: String.fromCharCode(...first) });
    } else if (kind === 'call') {
      const value = { name: first, args: JSON.parse(second) };
      result = service.addAndCheck({ type: 'ToolCallRequest', value });
    } else if (kind === 'clear') {
      service.clearDetection();
    } else {
      service.reset('');
    }
    verdicts += result === true || result.count > 0 ? '1' : '0';
  }
  console.log(verdicts);
}
