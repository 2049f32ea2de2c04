import { runOrThrow } from '../support/run-command.js';
import { describeWithDocker, type Engine, startEngine } from './engine.js';
import { buildAppImage } from './images.js';

const describeImage = await describeWithDocker();

describeImage('the image of the applications', () => {
  let engine: Engine;
  let image: string;

  const evaluate = async (expression: string): Promise<unknown> =>
    JSON.parse(await runOrThrow('docker', ['run', '--rm', image, 'node', '-p', `JSON.stringify(${expression})`]));

  beforeAll(async () => {
    engine = await startEngine();
    image = await buildAppImage();
  }, 300_000);

  afterAll(() => engine?.stop(), 60_000);

  it('contains no build or test tools', async () => {
    const modules = (await evaluate(`fs.readdirSync('node_modules')`)) as string[];
    const tools = ['typescript', 'jest', 'eslint', 'prettier', 'vitepress', 'typedoc', 'lightship', 'xstate', 'nact'];

    expect(modules).toContain('express');
    expect(modules.filter((name) => tools.includes(name))).toEqual([]);
    expect(await evaluate(`fs.readdirSync('apps').concat(fs.readdirSync('apps/shop')).sort()`)).toEqual(
      ['dist', 'fleet', 'package.json', 'pipeline', 'shop', 'tsconfig.json'].sort(),
    );
    const bytes = Number(await runOrThrow('docker', ['image', 'inspect', '--format', '{{.Size}}', image]));
    process.stderr.write(`size of the image, with Node: ${Math.round(bytes / 1e6)} MB\n`);
  }, 30_000);

  it('runs as a user that can write to the data folder and nowhere else', async () => {
    expect(await evaluate('[process.getuid(), process.getgid()]')).toEqual([1000, 1000]);
    const canWrite = (path: string): string =>
      `(() => { try { fs.accessSync('${path}', 2); return true } catch { return false } })()`;
    expect(await evaluate(`[${['/data', '/app', '/app/node_modules', '/'].map(canWrite).join()}]`)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  }, 30_000);
});
