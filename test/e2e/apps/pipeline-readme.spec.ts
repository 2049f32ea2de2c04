import { runOrThrow } from '../../support/run-command.js';
import { readText } from '../../support/workspace.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

/** Runs the nodes of the pipeline in one process, as fast as possible. */
const PROGRAM = `
  import 'reflect-metadata';
  import { NestFactory } from '@nestjs/core';
  import { Dataflow, DataflowModule, span } from '@roost/dataflow';
  import { CoordinatedShutdownModule } from '@roost/shutdown';
  import { graph, NodesModule } from './apps/pipeline/dist/graph.js';

  const dataflow = DataflowModule.forRoot({ graph, fast: true, timeout: span.seconds(10) });
  const imports = [CoordinatedShutdownModule.forRoot(), dataflow, NodesModule];
  const app = await NestFactory.createApplicationContext({ module: class App {}, imports }, { logger: ['error'] });
  console.log('digest ' + (await app.get(Dataflow).ended).digest);
  await app.close();
`;

describe('README of the pipeline', () => {
  it('shows the output of a 10 s run, wherever its nodes run', async () => {
    const printed = await runOrThrow(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
    const [, shown = ''] = /```text\n(journal .*?)```/s.exec(readText('apps/pipeline/README.md')) ?? [];
    const lines = shown.split('\n').filter((line) => line !== '' && line !== '...');
    expect(lines.length).toBeGreaterThan(3);
    expect(printed.split('\n')).toEqual(expect.arrayContaining(lines));
  });
});
