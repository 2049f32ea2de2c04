import { Injectable, Scope } from '@nestjs/common';
import { nodeOptionsOf } from './core/node/declaration.js';
import { NotANodeError } from './core/errors/not-a-node.error.js';
import { Dataflow, DataflowNode, GraphBuilder } from './index.js';
import { Apps } from './nest-app.fixture.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

@Injectable()
class Kettle {}

@DataflowNode({ name: 'cook' })
class Cook {
  constructor(readonly kettle: Kettle) {}
}

describe('@DataflowNode() in Nest', () => {
  it('makes a node and a provider with dependencies', async () => {
    const app = await apps.context({ graph: (g) => void g.node(Cook), providers: [Kettle, Cook] });
    expect(app.get(Cook).kettle).toBe(app.get(Kettle));
    expect(app.get(Dataflow).node('cook')).toBe(app.get(Cook));
  });

  it('keeps a scope in any order of decorators', async () => {
    @DataflowNode()
    @Injectable({ scope: Scope.TRANSIENT })
    class Above {}

    @Injectable({ scope: Scope.TRANSIENT })
    @DataflowNode()
    class Below {}
    const app = await apps.context({ providers: [Above, Below], graph: (g) => [g.node(Above), g.node(Below)] });
    for (const type of [Above, Below]) expect(await app.resolve(type)).not.toBe(await app.resolve(type));
    expect([Above, Below].map(nodeOptionsOf)).toEqual([{}, {}]);
  });

  it('is not inherited', () => {
    class Plain extends Cook {}
    expect(() => new GraphBuilder().node(Plain)).toThrow(NotANodeError);
  });
});
