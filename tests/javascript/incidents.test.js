// Incidents of expressions: found, shown above, resolved after the data was put right.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { camunda, deploy, ended, getInstance, now, refused, start } from './support.js';

before(() => deploy('route.bpmn'));

test('a gateway without data raises an incident that can be put right', async () => {
  const key = await start('route');
  const found = await camunda.searchProcessInstanceIncidents({ processInstanceKey: key }, now);
  assert.equal(found.page.totalItems, 1);
  const [incident] = found.items;
  assert.equal(incident.elementId, 'choice');
  assert.equal(incident.state, 'ACTIVE');
  assert.equal((await getInstance(key)).hasIncident, true);

  const element = await camunda.getElementInstance({ elementInstanceKey: incident.elementInstanceKey }, now);
  assert.equal(element.incidentKey, incident.incidentKey);
  const ofElement = await camunda.searchElementInstanceIncidents(
    { elementInstanceKey: incident.elementInstanceKey }, now);
  assert.deepEqual(ofElement.items.map(one => one.incidentKey), [incident.incidentKey]);

  await camunda.createElementInstanceVariables({ elementInstanceKey: key, variables: { weight: 4 } });
  await camunda.resolveIncident({ incidentKey: incident.incidentKey });
  assert.equal((await ended(key)).state, 'COMPLETED');
  assert.equal((await camunda.getIncident({ incidentKey: incident.incidentKey }, now)).state, 'RESOLVED');
  await refused(404, /./, () => camunda.resolveIncident({ incidentKey: incident.incidentKey }));
});

test('incidents are counted by their message', async () => {
  const key = await start('route', { weight: 'heavy' });
  const [incident] = (await camunda.searchIncidents({ filter: { processInstanceKey: key } }, now)).items;
  const counted = await camunda.getProcessInstanceStatisticsByError({}, now);
  const group = counted.items.find(one => one.errorMessage === incident.errorMessage);
  assert.ok(group.activeInstancesWithErrorCount >= 1);
});
