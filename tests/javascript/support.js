// What every scenario needs: the unmodified client, the shared models, and short ways to say things.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import createCamundaClient from '@camunda8/orchestration-cluster-api';

export const camunda = createCamundaClient();

// Reads see every answered command here, so no operation waits for consistency.
export const now = { consistency: { waitUpToMs: 0 } };

export const model = name => fileURLToPath(new URL(`../models/${name}`, import.meta.url));

export const deploy = (...names) => camunda.deployResourcesFromFiles(names.map(model));

export async function start(processDefinitionId, variables = {}, more = {}) {
  const created = await camunda.createProcessInstance({ processDefinitionId, variables, ...more });
  return created.processInstanceKey;
}

export const getInstance = processInstanceKey => camunda.getProcessInstance({ processInstanceKey }, now);

export async function variablesOf(processInstanceKey) {
  const found = await camunda.searchVariables({ filter: { processInstanceKey } }, now);
  return Object.fromEntries(found.items.map(variable => [variable.name, JSON.parse(variable.value)]));
}

// The job of an instance, activated by name; other instances' jobs of the type stay leased only briefly.
export async function activate(type, processInstanceKey, more = {}) {
  const { jobs } = await camunda.activateJobs({
    type, worker: 'scenario', timeout: 60_000, maxJobsToActivate: 100, requestTimeout: 5_000, ...more,
  });
  const job = jobs.find(one => one.processInstanceKey === processInstanceKey);
  assert.ok(job, `no ${type} job for ${processInstanceKey}`);
  return job;
}

export async function eventually(what, check, timeoutMs = 15_000) {
  const giveUp = Date.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value) return value;
    assert.ok(Date.now() < giveUp, `not within ${timeoutMs} ms: ${what}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

export const ended = processInstanceKey =>
  eventually(`${processInstanceKey} ends`, async () => {
    const instance = await getInstance(processInstanceKey);
    return instance.state !== 'ACTIVE' && instance;
  });

// Asserts that a call is refused with this status and a problem that says so.
export async function refused(status, detail, call) {
  await assert.rejects(call, error => {
    assert.equal(error.status, status, `${error.message} ${error.detail ?? ''}`);
    assert.match(error.detail ?? error.message, detail);
    return true;
  });
}
