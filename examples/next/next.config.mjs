// @ts-check

export default {
  serverExternalPackages: ['holdfast'], // loaded from node_modules, as the worker does
};
