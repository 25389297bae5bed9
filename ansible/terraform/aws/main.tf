# SPDX-License-Identifier: Apache-2.0
# The machines of the published experiments, in one placement group of one zone.
provider "aws" {
  region = var.region
  default_tags {
    tags = { Project = "tailrace", Laboratory = var.name }
  }
}

locals {
  hosts = merge([
    for group, m in var.machines : {
      for i in range(m.count) : "${m.name_prefix}${i + 1}" => { group = group, type = m.type, root_gib = m.root_gib }
    }
  ]...)
}

data "aws_ami" "debian" {
  most_recent = true
  owners      = ["136693071363"] # Debian
  filter {
    name   = "name"
    values = ["debian-12-amd64-*"]
  }
}

resource "aws_vpc" "lab" {
  cidr_block           = "10.20.0.0/16"
  enable_dns_hostnames = true
}

resource "aws_internet_gateway" "lab" {
  vpc_id = aws_vpc.lab.id
}

resource "aws_subnet" "lab" {
  vpc_id                  = aws_vpc.lab.id
  cidr_block              = "10.20.1.0/24"
  availability_zone       = var.availability_zone
  map_public_ip_on_launch = true
}

resource "aws_route_table" "lab" {
  vpc_id = aws_vpc.lab.id
  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.lab.id
  }
}

resource "aws_route_table_association" "lab" {
  subnet_id      = aws_subnet.lab.id
  route_table_id = aws_route_table.lab.id
}

resource "aws_security_group" "lab" {
  name_prefix = "${var.name}-"
  description = "The laboratory among itself; SSH and Grafana from where it is deployed"
  vpc_id      = aws_vpc.lab.id

  ingress {
    description = "among the machines"
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    self        = true
  }
  dynamic "ingress" {
    for_each = { ssh = 22, grafana = 3000 }
    content {
      description = ingress.key
      from_port   = ingress.value
      to_port     = ingress.value
      protocol    = "tcp"
      cidr_blocks = var.deployer_cidrs
    }
  }
  egress {
    description = "packages"
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_placement_group" "lab" {
  name     = var.name
  strategy = "cluster"
}

resource "aws_key_pair" "deployer" {
  key_name_prefix = "${var.name}-"
  public_key      = file(var.ssh_public_key_file)
}

resource "aws_instance" "host" {
  for_each               = local.hosts
  ami                    = data.aws_ami.debian.id
  instance_type          = each.value.type
  key_name               = aws_key_pair.deployer.key_name
  subnet_id              = aws_subnet.lab.id
  vpc_security_group_ids = [aws_security_group.lab.id]
  placement_group        = aws_placement_group.lab.id

  root_block_device {
    volume_type = "gp3"
    volume_size = each.value.root_gib
    encrypted   = true
  }
  metadata_options {
    http_tokens = "required"
  }
  tags = { Name = "${var.name}-${each.key}" }
}
