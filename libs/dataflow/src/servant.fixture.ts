import { CoordinatedShutdown } from '@roost/shutdown';
import {
  Dataflow,
  type DataflowModuleOptions,
  DataflowNode,
  type NodeContext,
  OnShutdown,
  PhysicalAction,
  Reaction,
} from './index.js';
import { type AppMetadata, type Apps, deferred, RecordingLogger, settled } from './nest-app.fixture.js';

export type Order =
  { kind: 'note'; text: string } | { kind: 'wait' | 'hang' | 'throw' | 'done' } | { kind: 'fail'; code: number };

/** Executes orders that a test schedules from outside of the graph. */
@DataflowNode()
export class Servant {
  @PhysicalAction() orders!: PhysicalAction<Order>;
  readonly notes: string[] = [];
  readonly gate = deferred();

  @Reaction('orders')
  async obey(ctx: NodeContext): Promise<void> {
    const order = this.orders.value!;
    if (order.kind === 'note') this.notes.push(order.text);
    if (order.kind === 'wait') await this.gate.promise;
    if (order.kind === 'hang') await new Promise(() => undefined);
    if (order.kind === 'throw') throw new Error('no more tea');
    if (order.kind === 'fail') ctx.fail('the cup is broken', order.code);
    if (order.kind === 'done') this.orders.close();
    if (order.kind === 'wait') this.notes.push('waited');
  }

  @OnShutdown()
  end(): void | Promise<void> {
    this.notes.push('end');
  }
}

/** Returns a root module whose graph has one servant. */
export const servantApp = (rest: AppMetadata = {}): AppMetadata => ({
  graph: (g) => void g.node(Servant),
  providers: [Servant],
  ...rest,
});

/** Like `servantApp`, but already running. */
export const setup = async (apps: Apps, dataflow: Partial<DataflowModuleOptions> = {}, rest: AppMetadata = {}) => {
  const logger = new RecordingLogger();
  const app = await apps.context(servantApp({ ...rest, dataflow: { logger, ...dataflow } }));
  await settled();
  return { app, logger, ...partsOf(app) };
};

export const partsOf = (app: { get: <T>(type: abstract new (...args: never[]) => T) => T }) => ({
  servant: app.get(Servant),
  dataflow: app.get(Dataflow),
  shutdown: app.get(CoordinatedShutdown),
});
