import { NestFactory } from '@nestjs/core';
import { DataflowModule, DataflowNode } from '@roost/dataflow';
import { RoostModule } from '@roost/nest';
import { CoordinatedShutdown, Phase } from '@roost/shutdown';
import { readText } from '../support/workspace.js';

/** Name and constant: `service-unbind`, `Phase.ServiceUnbind`. */
const PHASE_ROW = /^\|\s*`([a-z-]+)`\s*\|\s*`Phase\.(\w+)`/gm;
/** Phase (empty if it is the same as in the row above), task, and the module that registers it. */
const TASK_ROW = /^\|\s*(?:`([a-z-]+)`)?\s*\|\s*`([a-z-]+)`\s*\|\s*`(\w+Module)`/gm;

@DataflowNode()
class LonelyNode {}

const tasksOf = (page: string): string[] => {
  let phase = '';
  return [...page.matchAll(TASK_ROW)].map(([, begins, task]) => `${(phase = begins ?? phase)}/${task}`);
};

it('The guide lists every built-in phase with its constant, in running order', () => {
  const rows = [...readText('docs/coordinated-shutdown.md').matchAll(PHASE_ROW)].map(([, name, key]) => [key, name]);
  expect(rows).toEqual(Object.entries(Phase));
});

it('The architecture page lists every task of the modules, in its phase', async () => {
  const imports = [
    RoostModule.forRoot({ shutdown: { signals: [] }, drain: { lameDuckMs: 1 } }),
    DataflowModule.forRoot({ graph: (g) => void g.node(LonelyNode), autoStart: false }),
  ];
  const app = await NestFactory.create({ module: class {}, imports, providers: [LonelyNode] }, { logger: false });
  await app.init();
  const phases = app.get(CoordinatedShutdown).describe();
  await app.close();

  const tasks = phases.flatMap(({ name, tasks: registered }) => registered.map((task) => `${name}/${task.name}`));
  expect(tasksOf(readText('docs/architecture.md')).sort()).toEqual(tasks.sort());
});
