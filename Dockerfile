# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# Debian with Belay and nothing else: no compiler, no NPU software.
#
#   docker build -t belay .
#   docker run --rm belay                                                   # the version, the product, what is set
#   docker run --rm -v "$PWD:/work" belay belay run ./program               # a program that was built elsewhere
#   docker run --rm -v "$PWD:/work" belay belay run python train.py         # after RUN pip install torch-npu, 6 GB
#
# An image that builds programs too adds two lines; headers and libraries are in $ASCEND_HOME_PATH:
#
#   FROM belay
#   RUN apt-get update && apt-get install -y --no-install-recommends g++ cmake && rm -rf /var/lib/apt/lists/*

ARG DEBIAN=debian:bookworm-slim

FROM $DEBIAN AS build
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3-venv
COPY . /source
RUN python3 -m venv /opt/python && \
    PATH=/opt/python/bin:$PATH /source/scripts/gloo_sources.sh /gloo && \
    BELAY_GLOO_SOURCE=/gloo /opt/python/bin/pip install --no-cache-dir --no-compile /source

FROM $DEBIAN
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/python /opt/python
ENV PATH=/opt/python/bin:$PATH
# Where programs look for the toolkit that they were built against.
RUN mkdir -p /usr/local/Ascend/ascend-toolkit && ln -s "$(belay prefix)" /usr/local/Ascend/ascend-toolkit/latest
ENV ASCEND_HOME_PATH=/usr/local/Ascend/ascend-toolkit/latest \
    ASCEND_TOOLKIT_HOME=/usr/local/Ascend/ascend-toolkit/latest \
    LD_LIBRARY_PATH=/usr/local/Ascend/ascend-toolkit/latest/lib64
WORKDIR /work
CMD ["belay", "info"]
