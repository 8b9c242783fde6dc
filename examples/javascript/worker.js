import { fileURLToPath } from 'node:url';
import { createCamundaClient } from '@camunda8/orchestration-cluster-api';

const camunda = createCamundaClient({
  config: {
    CAMUNDA_REST_ADDRESS: process.env.CAMUNDA_REST_ADDRESS ?? 'http://127.0.0.1:8080',
    CAMUNDA_AUTH_STRATEGY: 'NONE',
  },
});

await camunda.deployResourcesFromFiles([fileURLToPath(new URL('../order.bpmn', import.meta.url))]);
await camunda.createProcessInstance({
  processDefinitionId: 'web-order',
  variables: { orderId: 'J-1', amount: 120 },
});

camunda.createJobWorker({
  jobType: 'payment',
  maxParallelJobs: 10,
  jobTimeoutMs: 60_000,
  jobHandler: (job) => {
    console.log(`order ${job.variables.orderId}: ${job.variables.amount} paid`);
    return job.complete({ paid: job.variables.amount });
  },
});
